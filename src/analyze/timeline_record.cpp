// A predicted step has two queues: the host issues ops, the device runs them. Times count from the
// step's beginning on the device, so the host's first ops may have negative times. The step's
// annotation lies on a separate row: what the host issues for it may begin before it.
//
// A measured step has times of layers and none of their starts. They are laid end to end in the
// order of work: forward by the graph, loss, backward against it, gradient accumulation,
// optimizer. The step's annotation is as long as the whole step was between its first and its last
// event: the empty rest behind the layers is what lay between them. Where timing each layer cost
// more than that, the step ends with its last layer.

#include "timeline_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "base/format.hpp"
#include "record/trace_event_names.hpp"
#include "record/trace_event_writer.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;
using record::RangeKind;
using record::Record;

constexpr std::string_view step_row = "step";

/// A record with an empty trace.
Record empty_trace(std::string profiler) {
  Record record;
  record.trace.emplace().profiler = std::move(profiler);
  record.trace->ranges.threads.intern(step_row);  // the first row
  record.kernels.emplace();
  return record;
}

void add_step(Record& record, std::int64_t length_ns) {
  record.trace->ranges.add({.kind = RangeKind::annotation,
                            .name = record::trace_event::first_step,
                            .thread = step_row,
                            .duration_ns = length_ns});
}

void add_kernel(Record& record, std::string_view name, const record::KernelLaunch& at,
                std::int64_t duration_ns) {
  record::KernelLaunch launch = at;
  launch.name = record.kernels->names.intern(name);
  record.kernels->set(KernelFigure::time_s, record.kernels->add(launch),
                      static_cast<double>(duration_ns) * 1e-9);
}

record::TraceDevice described(const device::Device& device, int number) {
  record::TraceDevice told;
  told.id = number;
  told.name = device.name;
  return told;
}

/// What a layer's time is of.
enum class LayerPass : std::uint8_t { forward, backward, optimizer };
constexpr std::array<std::string_view, 3> layer_passes = {"forward", "backward", "optimizer"};

/// Lays the layers' times end to end.
class LaidLayers {
 public:
  LaidLayers(Record& record, const record::DeviceIdentity& device)
      : record_(record), device_(device) {}

  void add(const record::NodeTiming& node, LayerPass pass, double time_s) {
    const std::int64_t duration_ns = std::llround(time_s * 1e9);
    if (duration_ns <= 0) return;  // nothing to be seen
    const auto row = static_cast<std::size_t>(pass);
    const std::string name = format("{}: {} ({})", node.node, node.op, layer_passes.at(row));
    if (device_.kind == "cuda") {
      add_kernel(
          record_, name,
          {.device = device_.index, .stream = static_cast<std::int32_t>(row), .start_ns = end_ns_},
          duration_ns);
    } else {
      record_.trace->ranges.add({.kind = RangeKind::op,
                                 .name = name,
                                 .thread = layer_passes.at(row),
                                 .start_ns = end_ns_,
                                 .duration_ns = duration_ns});
    }
    end_ns_ += duration_ns;
  }
  [[nodiscard]] std::int64_t end_ns() const { return end_ns_; }

 private:
  Record& record_;
  const record::DeviceIdentity& device_;
  std::int64_t end_ns_ = 0;
};

}  // namespace

Record timeline_record(const StepTimeline& timeline, const device::Device& device, int number) {
  Record record = empty_trace("rooflab predict");
  record.trace->devices.push_back(described(device, number));
  add_step(record, timeline.length_ns);
  for (std::size_t i = 0; i < timeline.ops.size(); ++i) {
    const TimelineOp& op = timeline.ops[i];
    const auto id = static_cast<std::int64_t>(i) + 1;
    const bool issues = timeline.has_host && op.issue_end_ns > op.issue_start_ns;
    if (issues) {
      record.trace->ranges.add({.kind = RangeKind::op,
                                .name = timeline.names[op.name],
                                .thread = "host queue",
                                .start_ns = op.issue_start_ns,
                                .duration_ns = op.issue_end_ns - op.issue_start_ns,
                                .external_id = id});
    }
    if (op.end_ns == op.start_ns) continue;
    // The kind alone would not say whose work it is where no range of the host does.
    add_kernel(record, issues ? timeline.names[op.kind] : timeline.names[op.name],
               {.device = number, .start_ns = op.start_ns, .external_id = issues ? id : 0},
               op.end_ns - op.start_ns);
  }
  return record;
}

Record timeline_record(const record::LayerTimes& times, const record::DeviceIdentity& device) {
  Record record = empty_trace("rooflab measure");
  if (device.kind == "cuda") {
    record::TraceDevice told;
    told.id = device.index;
    told.name = device.name;
    if (device.memory) told.memory_bytes = device.memory->value();
    told.compute_capability = device.compute_capability;
    told.multiprocessors = device.multiprocessors;
    record.trace->devices.push_back(told);
  }
  const auto is_optimizer = [](const record::NodeTiming& node) {
    return op_class_of_row(node.node) == OpClass::optimizer;
  };
  LaidLayers row(record, device);
  for (const record::NodeTiming& node : times.nodes) {
    if (!is_optimizer(node)) row.add(node, LayerPass::forward, node.forward_s);
  }
  // The sum of what is accumulated between the nodes' backward passes is one part, the first.
  for (auto node = times.nodes.rbegin(); node != times.nodes.rend(); ++node) {
    if (node->backward_s) row.add(*node, LayerPass::backward, *node->backward_s);
  }
  for (const record::NodeTiming& node : times.nodes) {
    if (is_optimizer(node)) row.add(node, LayerPass::optimizer, node.forward_s);
  }
  add_step(record, std::max<std::int64_t>(std::llround(times.whole_s * 1e9), row.end_ns()));
  return record;
}

namespace {

/// Begins before all of them.
template <class Case>
std::int64_t zero_of(std::span<const Case> cases, auto earliest) {
  std::optional<std::int64_t> zero;
  for (const Case& each : cases) {
    const std::optional<std::int64_t> first = earliest(each);
    if (first) zero = std::min(zero.value_or(*first), *first);
  }
  return zero.value_or(0);
}

std::optional<std::int64_t> first_issue_ns(const CaseResult& result) {
  if (!result.timeline) return std::nullopt;
  std::int64_t first = 0;
  if (!result.timeline->has_host) return first;
  for (const TimelineOp& op : result.timeline->ops) first = std::min(first, op.issue_start_ns);
  return first;
}

/// `resnet18 on T4, batch 8, training, tf32`.
template <class Case>
std::string title(const Case& of, std::string_view device) {
  return format("{} on {}, batch {}, {}, {}", of.model, device, of.batch, name_of(of.phase),
                name_of(of.precision));
}

}  // namespace

WriteTimelines timelines_of(std::span<const CaseResult> cases) {
  if (std::ranges::none_of(cases, [](const CaseResult& each) { return each.timeline.has_value(); }))
    return {};
  return [cases](std::ostream& stream) {
    record::TraceEventWriter writer(
        stream,
        "Predicted steps, one process each. Row 'step': one step as the device sees it. 'host"
        " queue': when the host issues each op. 'device queue': when the device runs it.",
        zero_of(cases, first_issue_ns));
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (!cases[i].timeline) continue;
      const Record record =
          timeline_record(*cases[i].timeline, cases[i].device, static_cast<int>(i));
      writer.add({.name = title(cases[i], cases[i].device.name) + ", predicted",
                  .record = record,
                  .streams = {{0, "device queue"}}});
    }
    writer.finish();
  };
}

WriteTimelines timelines_of(std::span<const MeasuredCase> cases) {
  if (std::ranges::none_of(
          cases, [](const MeasuredCase& each) { return each.record.layers.has_value(); })) {
    return {};
  }
  return [cases](std::ostream& stream) {
    record::TraceEventWriter writer(
        stream,
        "Measured layers, one process a case, a row for each pass. Lengths are medians of many"
        " steps; the layers are laid end to end, because where each began was not measured. The"
        " empty rest of a step is what lay between the layers.",
        0);
    for (const MeasuredCase& each : cases) {
      if (!each.record.layers) continue;
      const record::Environment& environment = each.record.environment;
      const Record record = timeline_record(*each.record.layers, environment.device);
      const bool on_device = environment.device.kind == "cuda";
      std::map<std::int32_t, std::string> streams;
      for (std::size_t i = 0; i < layer_passes.size(); ++i) {
        streams.emplace(static_cast<std::int32_t>(i), layer_passes.at(i));
      }
      writer.add({.name = format("{}, layers by the {} clock", title_of(each.record.identity),
                                 on_device ? "device's" : "host's"),
                  .record = record,
                  .streams = std::move(streams)});
    }
    writer.finish();
  };
}

WriteTimelines timelines_of(std::span<const ImportedCase> cases) {
  if (std::ranges::none_of(
          cases, [](const ImportedCase& each) { return each.record.trace.has_value(); })) {
    return {};
  }
  return [cases](std::ostream& stream) {
    record::TraceEventWriter writer(
        stream, "Kernels and copies as the device ran them, one process each, a row a stream.",
        zero_of(cases, [](const ImportedCase& each) { return record::earliest_ns(each.record); }));
    for (const ImportedCase& each : cases) {
      if (each.record.trace) writer.add({.name = each.title, .record = each.record});
    }
    writer.finish();
  };
}

}  // namespace rooflab::analyze
