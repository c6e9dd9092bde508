// Steps follow each other. Where ranges that mark them do not, the name alone does not tell which
// ones are steps:
//
//   threads at once   the thread that launched most work, else the one whose process did, else the
//                     first. Threads and processes with separate work are parts of the capture
//                     (trace_parts.cpp) and never meet here.
//   nested            the outer ones: a loop of micro-batches calls its rounds steps, too
//   overlapping       they stay, and windows are cut one after the other (trace_steps.cpp)
//
// Times of traces have three decimals of a microsecond at best, older ones none: neighbours may
// seem to overlap by one.

#include "step_ranges.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "work_owners.hpp"

namespace rooflab::trace {
namespace {

using record::NameTable;
using record::RangeKind;

constexpr std::int64_t rounding_ns = 1000;

bool overlaps_by_more_than_rounding(TimeInterval earlier, TimeInterval later) {
  return later.start_ns < earlier.end_ns - rounding_ns;
}

/// The thread whose ranges are the steps.
NameTable::Id launching_thread(const Timeline& timeline, const std::vector<StepRange>& marks) {
  const record::RangeTable& ranges = timeline.trace->ranges;
  std::map<NameTable::Id, std::int64_t> of_thread;
  std::map<std::string_view, std::int64_t> of_process;
  for (const DeviceWork& work : timeline.work) {
    if (work.call == DeviceWork::none) continue;
    const NameTable::Id thread = ranges.thread[work.call];
    ++of_thread[thread];
    ++of_process[process_of_thread(ranges.threads[thread])];
  }
  const auto work_of = [&](NameTable::Id thread) {
    return std::pair(of_thread[thread], of_process[process_of_thread(ranges.threads[thread])]);
  };
  NameTable::Id best = marks.front().thread;
  for (const StepRange& mark : marks) {
    if (work_of(mark.thread) > work_of(best)) best = mark.thread;
  }
  return best;
}

}  // namespace

std::vector<StepRange> step_ranges(const Timeline& timeline) {
  const record::RangeTable& ranges = timeline.trace->ranges;
  std::vector<StepRange> marks;
  for (const std::uint32_t i : timeline.by_start) {
    const RangeKind kind = ranges.kind[i];
    if (!timeline.traits_at(i).step) continue;
    if (kind != RangeKind::op && kind != RangeKind::annotation) continue;
    marks.push_back({timeline.range(i), i, ranges.thread[i]});
  }
  std::ranges::stable_sort(marks, {}, [](const StepRange& mark) {
    return std::pair(mark.interval.start_ns, -mark.interval.end_ns);
  });
  return marks;
}

bool are_of_several_threads(const std::vector<StepRange>& marks) {
  // The range that ends last, and the last of another thread than its.
  const StepRange* last = nullptr;
  const StepRange* other = nullptr;
  for (const StepRange& mark : marks) {
    for (const StepRange* earlier : {last, other}) {
      if (earlier != nullptr && earlier->thread != mark.thread &&
          overlaps_by_more_than_rounding(earlier->interval, mark.interval)) {
        return true;
      }
    }
    if (last == nullptr || mark.interval.end_ns >= last->interval.end_ns) {
      if (last != nullptr && last->thread != mark.thread) other = last;
      last = &mark;
    } else if (last->thread != mark.thread &&
               (other == nullptr || mark.interval.end_ns >= other->interval.end_ns)) {
      other = &mark;
    }
  }
  return false;
}

StepChoice chosen_steps(const Timeline& timeline) {
  StepChoice choice;
  std::vector<StepRange> marks = step_ranges(timeline);
  if (are_of_several_threads(marks)) {
    const NameTable::Id thread = launching_thread(timeline, marks);
    choice.thread = thread;
    choice.of_other_threads =
        std::erase_if(marks, [&](const StepRange& mark) { return mark.thread != thread; });
  }
  for (const StepRange& mark : marks) {
    if (!choice.steps.empty()) {
      const TimeInterval last = choice.steps.back().interval;
      if (mark.interval.start_ns < last.end_ns && mark.interval.end_ns <= last.end_ns) {
        ++choice.nested;
        continue;
      }
      if (overlaps_by_more_than_rounding(last, mark.interval)) ++choice.overlapping;
    }
    choice.steps.push_back(mark);
  }
  return choice;
}

}  // namespace rooflab::trace
