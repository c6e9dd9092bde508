#include "step_kinds.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <tuple>

#include "achievable_rate.hpp"
#include "predict_notes.hpp"
#include "rooflab/graph/op_facts.hpp"
#include "step_queues.hpp"

namespace rooflab::predict {
namespace {

using schedule::Schedule;
using schedule::ScheduledOp;

/// Whether the kind's model rests on too few measurements.
bool is_rough(const KindShare& kind, const TimeModel& model) {
  if (!kind.origin.empty()) return false;
  for (const CalibratedDevice& source : model.sources()) {
    if (source.device.id != kind.device) continue;
    const std::shared_ptr<const device::Calibration> calibration = source.calibration.read();
    const auto table = calibration->ops.find(kind.kind);
    return table != calibration->ops.end() && device::is_rough(table->second);
  }
  return false;
}

/// The op that loses most of those that the memory bounds and that take many times what it needs,
/// where no row of the device shows so.
std::optional<Note> doubted_note(std::span<const ShapeShare> shapes, const TimeModel& model) {
  constexpr double doubtful = 4.0;
  constexpr double long_s = 20e-6;  // a shorter one is bound by much else
  const ShapeShare* worst = nullptr;
  double most = 0.0;
  double ratio = 0.0;
  for (const ShapeShare& each : shapes) {
    const RoofTimes roofs = datasheet_times(each.shape, model.target());
    const double memory_s = roofs.memory_s * compulsory_share(each.shape);
    if (memory_s < roofs.matrix_s || memory_s < long_s) continue;
    const double times = each.estimate.time_s / memory_s;
    if (times <= doubtful || each.time_s <= most) continue;
    if (model.has_row_slower(each.shape, doubtful * compulsory_share(each.shape))) continue;
    worst = &each;
    most = each.time_s;
    ratio = times;
  }
  if (worst == nullptr) return std::nullopt;
  return Note{says.memory_time_in_doubt, {worst->shape.kind(), ratio, model.target().id}};
}

}  // namespace

bool is_of_device(const Schedule& schedule, const StepTime& step, std::size_t i) {
  return StepQueues::runs_on_device(step.ops[i]) && !schedule.ops[i].is_message_beside();
}

void summarise(const Schedule& schedule, StepTime& step) {
  // What an op borrowed from another kind is booked apart from that kind's own.
  std::map<std::tuple<std::string, TimeSource, std::string>, KindShare> kinds;
  for (std::size_t i = 0; i < step.ops.size(); ++i) {
    const OpTime& op = step.ops[i];
    if (op.device.time_s == 0.0 || schedule.ops[i].is_message()) continue;
    KindShare& kind = kinds[{op.device.kind, op.device.source, op.device.device}];
    kind.kind = op.device.kind;
    kind.device = op.device.device;
    kind.origin = op.device.origin;
    ++kind.count;
    kind.time_s += op.device.time_s;
    kind.deviation += op.device.time_s * op.device.deviation;
    kind.source = op.device.source;
  }
  for (auto& [place, kind] : kinds) {
    kind.deviation /= kind.time_s;
    kind.share = step.device.value > 0.0 ? kind.time_s / step.device.value : 0.0;
    step.kinds.push_back(std::move(kind));
  }
  std::ranges::sort(step.kinds, std::greater{}, &KindShare::time_s);
}

void add_kind_notes(const Schedule& schedule, const TimeModel& model,
                    std::span<const ShapeShare> shapes, StepTime& step) {
  if (auto note = doubted_note(shapes, model)) {
    step.notes.insert(step.notes.begin(), *std::move(note));
  }
  double uncertain = 0.0;
  double unknown = 0.0;
  double rough = 0.0;
  for (const KindShare& kind : step.kinds) {
    if (kind.source == TimeSource::other_kind) uncertain += kind.time_s;
    if (kind.source == TimeSource::roofline) unknown += kind.time_s;
    if (is_rough(kind, model)) rough += kind.time_s;
  }
  const double all = step.device.value;
  const auto note = [&](double part, const NoteSentence& sentence) {
    if (part > 0.05 * all) step.notes.push_back({sentence, {part / all}});
  };
  note(unknown, says.roofline_kinds);
  note(uncertain, says.neighbouring_kinds);
  if (rough > 0.2 * all) step.notes.push_back({says.rough_calibration, {rough / all}});
  for (const ScheduledOp& op : schedule.ops) {
    if (op.node < 0) continue;
    const graph::Op& node = schedule.graph.nodes[static_cast<std::size_t>(op.node)].op;
    const auto* opaque = std::get_if<graph::Opaque>(&node);
    if (opaque == nullptr || !opaque->like.empty()) continue;
    step.notes.push_back({says.op_without_rule, {graph::name_of(node)}});
    break;
  }
  std::map<std::string, double> carried;
  for (const KindShare& kind : step.kinds) {
    if (!kind.device.empty() && kind.device != model.target().id) {
      carried[kind.device] += kind.time_s;
    }
  }
  std::erase_if(carried, [all](const auto& entry) { return entry.second < 0.05 * all; });
  if (!carried.empty()) {
    std::vector<std::string> devices;
    for (const auto& [device, time_s] : carried) devices.push_back(device);
    const bool other_maker = relation_of(model.target(), model.source()) == Relation::other_maker;
    step.notes.push_back(other_maker
                             ? Note{says.carried_from_other_maker, {model.target().vendor, devices}}
                             : Note{says.carried_over, {devices}});
  }
}

void add_pauses(const Schedule& schedule, StepTime& step, const TimeModel& model,
                double deviation) {
  KindShare gaps{.kind = std::string(gaps_kind), .deviation = deviation};
  KindShare messages{.kind = std::string(messages_kind), .deviation = deviation};
  for (std::size_t i = 0; i < step.ops.size(); ++i) {
    if (!is_of_device(schedule, step, i)) continue;
    ++gaps.count;
    gaps.time_s += step.gap_s;
    if (!schedule.ops[i].is_message()) continue;
    ++messages.count;
    messages.time_s += step.ops[i].device.time_s;
  }
  const auto measured = model.observed_figure("launch.gap");
  if (measured && !step.replayed) {
    gaps.device = measured->device->id;
    const bool own = gaps.device == model.target().id;
    gaps.source = own ? TimeSource::measured_kind : TimeSource::carried_kind;
  } else {
    gaps.source = TimeSource::roofline;
  }
  messages.source = TimeSource::roofline;
  for (KindShare* const each : {&gaps, &messages}) {
    if (each->time_s <= 0.0) continue;
    each->share = each->time_s / step.device.value;
    step.kinds.push_back(std::move(*each));
  }
  std::ranges::stable_sort(step.kinds, std::greater{}, &KindShare::time_s);
}

}  // namespace rooflab::predict
