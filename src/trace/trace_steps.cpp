// Where a step begins and ends on the device's side. The host runs ahead: a range `ProfilerStep#3`
// on the host ends while the device still works on what was launched in it.
//
//   work of step i    kernels and copies whose launching call begins and ends within range i
//   start_i = max(end_i-1, host start_i)
//   end_i   = max(host end_i, end of the last work of step i), never before start_i
//   end_-1  = the latest end among work that was launched in no step and ended before the first
//             work of step 0; at least the start of step 0
//
// If no step launched work, the host's ranges stand. The last steps without work are left out, and
// one more when it has less than 0.8 of the work of the step before: the profiler stops while the
// device is still at it. Without marked steps one window from the first to the last event of the
// host, its end extended likewise. Which ranges mark steps is step_mark.cpp's.
//
// Source: torch_tb_profiler, profiler/event_parser.py (StepParser). The plugin's last versions also
// took the device's copy of a step's range (gpu_user_annotation) for a step: such a step has no
// launches, a window of no length, keeps a cut last step from being dropped, and divides every
// average. TraceRule::plugin does as it did; ours takes the host's ranges only, and launches
// through the driver (Triton, CUTLASS) too.
//
// Ours takes the ranges of one thread where several mark steps at the same time, and of ranges
// within ranges the outer ones (step_ranges.cpp).
//
// When it is wrong: steps whose device work overlaps (several streams over the border of a step)
// are cut one after the other, so that a share of a step's work is counted to its predecessor.

#include <algorithm>
#include <optional>

#include "base/format.hpp"
#include "record/trace_source.hpp"
#include "rooflab/trace/trace_breakdown.hpp"
#include "step_mark.hpp"
#include "step_ranges.hpp"
#include "trace_panes.hpp"
#include "work_owners.hpp"

namespace rooflab::trace {
namespace {

using record::RangeKind;

constexpr double least_share_of_previous = 0.8;

bool is_host(RangeKind kind) { return kind == RangeKind::op || kind == RangeKind::annotation; }

/// Its number, else how many were before it.
std::string name_of_step(const Timeline& timeline, std::uint32_t range, std::size_t before) {
  const record::RangeTable& ranges = timeline.trace->ranges;
  std::string name(step_number_of(ranges.names[ranges.name[range]]));
  return name.empty() ? format("{}", before) : name;
}

/// The plugin takes every range with a step's name, whoever has it.
std::vector<StepWindow> plugin_steps(const Timeline& timeline) {
  std::vector<StepWindow> steps;
  const record::RangeTable& ranges = timeline.trace->ranges;
  for (const std::uint32_t i : timeline.by_start) {
    if (!timeline.traits_at(i).step) continue;
    if (!is_host(ranges.kind[i]) && ranges.kind[i] != RangeKind::device_annotation) continue;
    steps.push_back(
        {name_of_step(timeline, i, steps.size()), timeline.range(i), timeline.range(i)});
  }
  return steps;
}

/// Returns the thread whose steps they are, where others mark some at the same time.
std::optional<record::NameTable::Id> add_marked_steps(StepWindows& result, const Timeline& timeline,
                                                      TraceRule rule) {
  if (rule == TraceRule::plugin) {
    result.steps = plugin_steps(timeline);
    return std::nullopt;
  }
  const StepChoice choice = chosen_steps(timeline);
  result.nested = choice.nested;
  result.overlapping = choice.overlapping;
  result.of_other_threads = choice.of_other_threads;
  for (const StepRange& each : choice.steps) {
    result.steps.push_back(
        {name_of_step(timeline, each.range, result.steps.size()), each.interval, each.interval});
  }
  return choice.thread;
}

/// Whether a call is of the process that the steps are of.
bool is_of_steps(const Timeline& timeline, std::uint32_t call,
                 std::optional<record::NameTable::Id> thread) {
  const record::RangeTable& ranges = timeline.trace->ranges;
  const auto process = [&](record::NameTable::Id id) {
    return process_of_thread(ranges.threads[id]);
  };
  return !thread || process(ranges.thread[call]) == process(*thread);
}

void include(std::optional<TimeInterval>& all, TimeInterval interval) {
  if (!all) all = interval;
  all->start_ns = std::min(all->start_ns, interval.start_ns);
  all->end_ns = std::max(all->end_ns, interval.end_ns);
}

/// First to last event of the host; ours falls back on what else there is. A recording
/// from the program's start includes the device's set-up: there it is the first to the last event
/// of the device.
std::optional<TimeInterval> whole(const Timeline& timeline, TraceRule rule) {
  std::optional<TimeInterval> all;
  const bool host_counts = !record::facts_of(*timeline.trace).from_start;
  for (const std::uint32_t i : timeline.by_start) {
    const RangeKind kind = timeline.trace->ranges.kind[i];
    const bool counts = rule == TraceRule::plugin ? kind == RangeKind::op
                                                  : is_host(kind) || kind == RangeKind::runtime;
    if (counts && host_counts) include(all, timeline.range(i));
  }
  if (!all && rule == TraceRule::ours) {
    for (const DeviceWork& work : timeline.work) include(all, work.interval());
  }
  return all;
}

/// Number of the step within which the call lies whole, if any. `reach` holds the latest end up to
/// each step: steps are by start, and the device's ranges may end before an earlier one of the
/// host.
std::optional<std::size_t> step_of(TimeInterval call, const std::vector<StepWindow>& steps,
                                   const std::vector<std::int64_t>& reach) {
  const auto at = std::ranges::upper_bound(reach, call.start_ns);
  if (at == reach.end()) return std::nullopt;
  const auto i = static_cast<std::size_t>(at - reach.begin());
  if (call.start_ns < steps[i].marked.start_ns || call.end_ns > steps[i].marked.end_ns) {
    return std::nullopt;
  }
  return i;
}

}  // namespace

TimeInterval StepWindows::span() const {
  if (steps.empty()) return {};
  return {steps.front().window.start_ns, steps.back().window.end_ns};
}

std::vector<TimeInterval> StepWindows::windows() const {
  std::vector<TimeInterval> windows;
  windows.reserve(steps.size());
  for (const StepWindow& step : steps) windows.push_back(step.window);
  return windows;
}

StepWindows step_windows(const Timeline& timeline, TraceRule rule) {
  StepWindows result;
  const auto thread = add_marked_steps(result, timeline, rule);
  result.marked = !result.steps.empty();
  if (!result.marked) {
    const std::optional<TimeInterval> all = whole(timeline, rule);
    if (!all) return result;
    result.steps.push_back({"0", *all, *all});
    if (record::facts_of(*timeline.trace).from_start) {
      result.steps.front().device_work = static_cast<std::int64_t>(timeline.work.size());
      return result;  // all of the device's work, whenever it was launched
    }
  }
  std::vector<StepWindow>& steps = result.steps;

  std::vector<std::int64_t> reach;
  reach.reserve(steps.size());
  for (const StepWindow& step : steps) {
    reach.push_back(reach.empty() ? step.marked.end_ns
                                  : std::max(reach.back(), step.marked.end_ns));
  }
  std::vector<std::optional<TimeInterval>> span(steps.size());
  std::vector<const DeviceWork*> unmatched;
  for (const DeviceWork& work : timeline.work) {
    const std::uint32_t call = work.call_by(rule);
    std::optional<std::size_t> i;
    if (call != DeviceWork::none && is_of_steps(timeline, call, thread))
      i = step_of(timeline.range(call), steps, reach);
    if (!i) {
      unmatched.push_back(&work);
      continue;
    }
    ++steps[*i].device_work;
    include(span[*i], work.interval());
  }
  if (unmatched.size() == timeline.work.size()) return result;

  std::int64_t previous_end = steps.front().marked.start_ns;
  if (span.front()) {
    for (const DeviceWork* work : unmatched) {
      if (work->end_ns < span.front()->start_ns) {
        previous_end = std::max(previous_end, work->end_ns);
      }
    }
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    TimeInterval& window = steps[i].window;
    window.start_ns = std::max(previous_end, window.start_ns);
    if (span[i]) window.end_ns = std::max(window.end_ns, span[i]->end_ns);
    window.end_ns = std::max(window.end_ns, window.start_ns);
    previous_end = window.end_ns;
  }

  if (steps.size() > 1) {
    std::size_t last = steps.size() - 1;
    while (last > 0 && steps[last].device_work == 0) --last;
    const bool is_cut =
        last > 0 && static_cast<double>(steps[last - 1].device_work) * least_share_of_previous >
                        static_cast<double>(steps[last].device_work);
    const std::size_t kept = is_cut ? last : last + 1;
    result.dropped = static_cast<int>(steps.size() - kept);
    steps.resize(kept);
  }
  return result;
}

}  // namespace rooflab::trace
