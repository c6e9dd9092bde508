// Strips of steps: what the device, the host and the communication did when.
//
// A device is busy where a kernel or copy runs on any of its streams; collectives have a separate
// row. The host is busy where an op or a call of the runtime is going on, on any thread. Of
// what begins before a step or ends behind it the part within it is drawn.

#include "step_strips.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analyze/kernel_class.hpp"
#include "base/format.hpp"
#include "page_parts.hpp"
#include "record/trace_source.hpp"
#include "rooflab/base/statistics.hpp"
#include "trace/trace_timeline.hpp"
#include "trace_tables.hpp"

namespace rooflab::report {
namespace {

using graph::WorkClass;

constexpr std::size_t most_steps = 3;

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (const WorkClass each : values_of<WorkClass>) names.emplace_back(name_of(each));
  return names;
}

/// A row while it is filled, with when it is busy.
class StripRow {
 public:
  StripRow(std::string name, TimeInterval window) : window_(window) { row_.name = std::move(name); }

  void add(TimeInterval work, WorkClass work_class) {
    work.start_ns = std::max(work.start_ns, window_.start_ns);
    work.end_ns = std::min(work.end_ns, window_.end_ns);
    if (work.start_ns >= work.end_ns) return;
    row_.runs.push_back({static_cast<double>(work.start_ns - window_.start_ns) * seconds_per_ns,
                         static_cast<double>(work.end_ns - window_.start_ns) * seconds_per_ns,
                         static_cast<int>(work_class)});
    busy_.push_back(work);
  }

  /// Adds the row to the strip, if it has anything.
  void finish(chart::Strip& strip) {
    if (!row_.runs.empty()) strip.rows.push_back(std::move(row_));
  }

  /// `The device is busy 82.1 % of 10.2 ms; the longest gap takes 120 us.`
  [[nodiscard]] std::string sentence() const {
    const IntervalSet busy = union_of(busy_);
    const std::int64_t length = window_.duration_ns();
    std::int64_t gap = 0;
    std::int64_t end = window_.start_ns;
    for (const TimeInterval& each : busy) {
      gap = std::max(gap, each.start_ns - end);
      end = each.end_ns;
    }
    gap = std::max(gap, window_.end_ns - end);
    const double share = static_cast<double>(total_ns(busy)) / static_cast<double>(length);
    return format("{} is busy {:.1f} % of {}{}.", row_.name == "device" ? "The device" : row_.name,
                  100.0 * share, si(static_cast<double>(length) * seconds_per_ns, "s"),
                  gap > 0 ? format("; its longest gap takes {}",
                                   si(static_cast<double>(gap) * seconds_per_ns, "s"))
                          : "");
  }

 private:
  TimeInterval window_;
  chart::StripRow row_;
  std::vector<TimeInterval> busy_;
};

/// What the host did in ops and calls: of each thread the outermost ranges.
void add_host(const trace::Timeline& timeline, StripRow& row) {
  const record::RangeTable& ranges = timeline.trace->ranges;
  std::map<record::NameTable::Id, std::int64_t> ends;  // by thread
  for (const std::uint32_t i : timeline.by_start) {
    const record::RangeKind kind = ranges.kind[i];
    if (kind != record::RangeKind::op && kind != record::RangeKind::runtime) continue;
    const TimeInterval range = timeline.range(i);
    std::int64_t& end = ends.try_emplace(ranges.thread[i], range.start_ns).first->second;
    if (range.end_ns <= end) continue;
    const WorkClass work_class = kind == record::RangeKind::op
                                     ? graph::work_class_of(analyze::op_class_of_operator(
                                           lowercase(ranges.names[ranges.name[i]])))
                                     : WorkClass::other;
    row.add({std::max(range.start_ns, end), range.end_ns}, work_class);
    end = range.end_ns;
  }
}

chart::Strip strip_in(const trace::Timeline& timeline, const std::vector<WorkClass>& classes,
                      TimeInterval window) {
  chart::Strip strip{.kinds = class_names()};
  strip.length_s = static_cast<double>(window.duration_ns()) * seconds_per_ns;
  std::map<std::int32_t, StripRow> devices;
  StripRow communication("communication", window);
  const bool several = std::ranges::any_of(timeline.work, [&](const trace::DeviceWork& work) {
    return work.device != timeline.work.front().device;
  });
  for (const trace::DeviceWork& work : timeline.work) {
    if (work.collective) {
      communication.add(work.interval(), WorkClass::other);
      continue;
    }
    StripRow& row =
        devices
            .try_emplace(work.device, several ? trace::device_label(work.device) : "device", window)
            .first->second;
    row.add(work.interval(), work.kind == trace::WorkKind::kernel
                                 ? classes[timeline.kernels->name_id(work.row)]
                                 : WorkClass::copy);
  }
  std::vector<std::string> sentences;
  for (auto& [number, row] : devices) {
    sentences.push_back(row.sentence());
    row.finish(strip);
  }
  StripRow host("host", window);
  add_host(timeline, host);
  host.finish(strip);
  communication.finish(strip);
  strip.remark = join(sentences, " ");
  return strip;
}

}  // namespace

std::optional<chart::Strip> strip_of(const analyze::CaseResult& result) {
  if (!result.timeline || result.timeline->length_ns <= 0) return std::nullopt;
  const analyze::StepTimeline& timeline = *result.timeline;
  const TimeInterval window{0, timeline.length_ns};
  StripRow device("device", window);
  StripRow host("host", window);
  for (const analyze::TimelineOp& op : timeline.ops) {
    const WorkClass work_class = graph::work_class_of(op.op_class);
    device.add({op.start_ns, op.end_ns}, work_class);
    if (!timeline.has_host) continue;
    host.add({op.issue_start_ns, op.issue_end_ns}, work_class);
  }
  chart::Strip strip{.label = case_title(result),
                     .length_s = static_cast<double>(timeline.length_ns) * seconds_per_ns,
                     .kinds = class_names(),
                     .remark = device.sentence()};
  if (!timeline.has_host) {
    strip.remark += " The host's part is left out.";
  } else {
    strip.remark += timeline.host_is_ahead ? " The host is ahead: no op waits for it."
                                           : " The device waits for the host.";
  }
  device.finish(strip);
  host.finish(strip);
  return strip;
}

std::vector<chart::Strip> strips_of(const analyze::ImportedCase& imported) {
  std::vector<chart::Strip> strips;
  if (!imported.trace) return strips;
  const trace::Timeline timeline(imported.record);
  if (timeline.work.empty()) return strips;
  const trace::StepWindows& steps = imported.trace->ours.steps;
  const std::vector<WorkClass> classes =
      trace::of_names<WorkClass>(timeline.kernels->names, analyze::work_class_of_kernel);
  for (const trace::StepWindow& step : steps.steps) {
    if (step.window.duration_ns() <= 0) continue;
    if (strips.size() == most_steps) {
      strips.back().remark +=
          format(" The other {} steps are not drawn.", steps.steps.size() - most_steps);
      break;
    }
    chart::Strip& strip = strips.emplace_back(strip_in(timeline, classes, step.window));
    strip.label = steps.marked ? format("{}, step {}", imported.title, step.name) : imported.title;
  }
  return strips;
}

page::PageSection strip_section(std::span<const analyze::ImportedCase> cases) {
  page::PageSection section{.heading = "Steps over time"};
  bool profiled = false;
  for (const analyze::ImportedCase& imported : cases) {
    for (chart::Strip& strip : strips_of(imported)) section.strips.push_back(std::move(strip));
    if (!imported.trace) continue;
    profiled = profiled || record::facts_of(*imported.record.trace).ours;
  }
  if (profiled) {
    section.timeline_command = "rooflab profile --mode trace -o FILE.trace.json -- COMMAND";
  }
  return section;
}

}  // namespace rooflab::report
