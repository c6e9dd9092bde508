// The time of a step: two queues, the host's and the device's.
//
// The host issues op i at h_i = h_(i-1) + c_i, c_i what its class costs to issue; the device starts
// it at max(h_i + latency, end of op i-1 + gap) and takes its time. The step ends with the last op.
// So a step of many small ops takes the host's time, one of few large ops the device's, and a
// network whose first half is bound by one and whose second by the other is neither sum nor
// maximum. Where the host reads a result (found_inf of loss scaling) it issues nothing until the
// device has finished, and the device then idles until the next op has been issued.
//
// The gap is `launch.gap`, the device's time for an empty kernel in a queued train: no two ops
// follow each other faster. Times of single ops are without it, since the marks around an op have
// the same gap and theirs is subtracted. A calibration without that figure (rooflab-probe was not
// there) has ops follow at once, a lower bound.
//
// What the host pays: a forward op once per node by class (with or without recording), views too; a
// node's backward once; kernels beside a node's first (bias, counters) a launch; the optimizer by
// tensors; loss and step once; an op of loss scaling a launch; a module of modules a call in the
// forward pass where an op is the first in it, by the scopes of the nodes' names: `layer1.0.conv1`
// behind `maxpool` enters `layer1` and `layer1.0`, and `layer1.0.bn1` behind that nothing. Source
// of the form: prediction of launch-bound training as in "Habitat" (Yu et al., ATC 2021) and
// Daydream (Zhu et al., ATC 2020); costs are measured.
//
// Interval. Errors are of log time. Ops of one kind err together (a convolution that the library
// runs otherwise than the neighbours repeats with every block), kinds independently:
//
//     var = sum over kinds (sum over ops a_i s_i)^2 + (sum over ops a_i c_i)^2 + floor^2 + host^2
//
// a_i the op's share of the device's time, s_i its deviation, c_i what all ops carried over from
// another device have in common. For a carried kind half of s_i^2 is the kind's, half the shape's.
// The floor is what no single op shows: clocks and cache contents within a step. 90 % lie
// within 1.645 deviations.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "device_queue.hpp"
#include "interval.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {
namespace {

using schedule::Pass;
using schedule::Schedule;
using schedule::ScheduledOp;

constexpr double floor_deviation = 0.06;
constexpr double host_deviation = 0.15;
/// Share of the variance of a carried op that all ops of its kind have in common; the rest is each
/// shape's own.
constexpr double shared_error = 0.5;

/// Attention modules that evaluation runs as one call: the op that stands for one takes all of its
/// time, its other ops none. The module hands on a plainly ordered result, so that the norm behind
/// it need not copy.
class FusedModules {
 public:
  explicit FusedModules(const Schedule& schedule) : schedule_(schedule) {
    // The framework takes this path in evaluation, outside autocast.
    if (schedule.phase != Phase::inference || autocast_type(schedule.precision)) return;
    for (const graph::AttentionModule& module : graph::find_attention_modules(schedule.graph)) {
      modules_.emplace(module.attention, module);
      members_.insert(module.nodes.begin(), module.nodes.end());
    }
  }

  [[nodiscard]] bool hides(const ScheduledOp& op) const {
    if (modules_.empty() || op.node < 0) return false;
    if (members_.contains(op.node)) {
      return !modules_.contains(op.node) || !std::holds_alternative<schedule::NodeWork>(op.work);
    }
    const graph::Op& node = schedule_.graph.nodes[static_cast<std::size_t>(op.node)].op;
    return std::holds_alternative<schedule::CopyWork>(op.work) &&
           std::holds_alternative<graph::LayerNorm>(node);
  }

  /// The op that stands for a module.
  [[nodiscard]] bool stands_for_one(const ScheduledOp& op) const {
    return modules_.contains(op.node) && std::holds_alternative<schedule::NodeWork>(op.work);
  }

  [[nodiscard]] std::optional<OpShape> shape(const ScheduledOp& op,
                                             const device::Device& device) const {
    if (hides(op)) return std::nullopt;
    const auto module = modules_.find(op.node);
    if (module == modules_.end()) return shape_of(schedule_, op, device);
    return shape_of(schedule_.graph, module->second, schedule_.precision, device);
  }

 private:
  const Schedule& schedule_;
  std::map<graph::NodeId, graph::AttentionModule> modules_;  ///< keys: the node that stands for it
  std::set<graph::NodeId> members_;
};

/// Loss scaling runs in the passes of loss and optimizer, and was measured with neither.
bool scales_loss(const ScheduledOp& op) {
  return std::holds_alternative<schedule::GradScalerWork>(op.work);
}

/// What the host pays for each op of a schedule.
class Issuer {
 public:
  Issuer(const Schedule& schedule, const FusedModules& modules, const device::HostCosts* costs,
         double launch_s)
      : schedule_(schedule), modules_(modules), costs_(costs), launch_s_(launch_s) {
    for (const ScheduledOp& op : schedule.ops) {
      if (scales_loss(op)) continue;
      if (op.pass == Pass::optimizer) ++optimizer_ops_;
      if (op.pass == Pass::loss) ++loss_ops_;
    }
  }

  double cost(const ScheduledOp& op) {
    if (costs_ == nullptr || modules_.hides(op)) return 0.0;
    return op_cost(op) + module_calls(op);
  }

 private:
  /// The calls of the modules that the op is the first in. The module that an op is alone in
  /// (nn.Conv2d: the last part of its name) is called within the op's own cost.
  double module_calls(const ScheduledOp& op) {
    if (!costs_->module_call_s || op.pass != Pass::forward || op.node < 0) return 0.0;
    const graph::Node& node = schedule_.graph.nodes[static_cast<std::size_t>(op.node)];
    // Autocast's are named below the op that they belong to, and inside its module.
    if (std::holds_alternative<graph::Cast>(node.op)) return 0.0;
    std::size_t entered = open_.enter(node.name, 0, [](const auto& /*arguments*/) {});
    if (is_module_call(op) && entered > 0) --entered;
    return static_cast<double>(entered) * *costs_->module_call_s;
  }

  /// The op stands for a module whose call is in its cost.
  [[nodiscard]] bool is_module_call(const ScheduledOp& op) const {
    return modules_.stands_for_one(op) && costs_->ops.contains("attention_module");
  }

  double op_cost(const ScheduledOp& op) {
    if (modules_.stands_for_one(op)) {
      return class_cost(is_module_call(op) ? "attention_module" : "attention", op.pass);
    }
    if (scales_loss(op)) return launch_s_;
    if (op.pass == Pass::optimizer) return optimizer_cost(op);
    if (op.pass == Pass::loss) return costs_->loss_s / loss_ops_;
    if (std::holds_alternative<schedule::CastWork>(op.work)) return class_cost("cast", op.pass);
    if (std::holds_alternative<schedule::AccumulateWork>(op.work)) {
      return class_cost("binary", Pass::forward) * 0.5;
    }
    if (op.node < 0) return launch_s_;
    // A node is paid for with its first op in each direction; what else it launches is in the call.
    const bool backward = op.pass != Pass::forward;
    const auto place = std::pair(op.node, backward);
    if (!paid_.insert(place).second) return is_view(op) ? 0.0 : launch_s_;
    return class_cost(host_class_of(schedule_.graph.nodes[static_cast<std::size_t>(op.node)].op),
                      op.pass);
  }

  static bool is_view(const ScheduledOp& op) {
    return std::holds_alternative<schedule::ViewWork>(op.work);
  }

  [[nodiscard]] double class_cost(std::string_view name, Pass pass) const {
    const auto known = costs_->ops.find(std::string(name));
    if (known == costs_->ops.end()) return launch_s_;
    const device::HostCost& cost = known->second;
    if (pass != Pass::forward) return cost.backward_s.value_or(cost.inference_s);
    return schedule_.phase == Phase::inference ? cost.inference_s
                                               : cost.forward_s.value_or(cost.inference_s);
  }

  [[nodiscard]] double optimizer_cost(const ScheduledOp& op) const {
    const std::string name(name_of(schedule_.optimizer));
    const auto value = [&name](const std::map<std::string, double>& costs) {
      const auto known = costs.find(name);
      return known == costs.end() ? 0.0 : known->second;
    };
    const double tensors = static_cast<double>(op.writes.size());
    return (value(costs_->optimizer_fixed_s) + value(costs_->optimizer_per_tensor_s) * tensors) /
           optimizer_ops_;
  }

  const Schedule& schedule_;
  const FusedModules& modules_;
  const device::HostCosts* costs_;
  double launch_s_;
  double optimizer_ops_ = 0.0;
  double loss_ops_ = 0.0;
  std::set<std::pair<graph::NodeId, bool>> paid_;
  graph::ModuleStack<schedule::TensorId> open_;  ///< its arguments are not looked at
};

/// Device times of all ops; equal shapes are asked about once.
class DeviceTimes {
 public:
  DeviceTimes(const Schedule& schedule, const TimeModel& model, const FusedModules& modules)
      : schedule_(schedule), model_(model), modules_(modules) {
    for (const ScheduledOp& op : schedule.ops) {
      if (op.pass == Pass::optimizer && !scales_loss(op)) optimizer_bytes_ += bytes(op);
    }
  }

  std::optional<OpEstimate> time(const ScheduledOp& op) {
    const std::optional<OpShape> shape = modules_.shape(op, model_.target());
    if (!shape) return std::nullopt;
    const auto key = std::pair(shape->kind(), shape->sizes);
    auto known = known_.find(key);
    if (known == known_.end()) known = known_.emplace(key, model_.estimate(*shape)).first;
    OpEstimate estimate = known->second;
    // The optimizer's passes were measured as one step.
    if (op.pass == Pass::optimizer && !scales_loss(op) && optimizer_bytes_ > 0.0) {
      estimate.time_s *= bytes(op) / optimizer_bytes_;
    }
    return estimate;
  }

 private:
  [[nodiscard]] double bytes(const ScheduledOp& op) const {
    double sum = 0.0;
    for (const schedule::TensorId id : op.reads) {
      sum += schedule_.tensor(id).distinct_bytes().as_double();
    }
    for (const schedule::TensorId id : op.writes) {
      sum += schedule_.tensor(id).distinct_bytes().as_double();
    }
    return sum;
  }

  const Schedule& schedule_;
  const TimeModel& model_;
  const FusedModules& modules_;
  double optimizer_bytes_ = 0.0;
  std::map<std::pair<std::string, std::vector<double>>, OpEstimate> known_;
};

/// Sums the step up by kind, and computes the variance of the whole.
double summarise(StepTime& step, const std::string& target) {
  // What an op borrowed from another kind is booked apart from that kind's own.
  std::map<std::tuple<std::string, TimeSource, std::string>, KindShare> kinds;
  std::map<std::pair<std::string, double>, double> shapes;  // ops of one shape take one time
  double common = 0.0;
  for (const OpTime& op : step.ops) {
    if (op.device.time_s == 0.0) continue;
    KindShare& kind = kinds[{op.device.kind, op.device.source, op.device.device}];
    kind.kind = op.device.kind;
    kind.device = op.device.device;
    kind.origin = op.device.origin;
    common += op.device.time_s * op.device.common_deviation;
    if (op.device.common_deviation > 0.0) {
      shapes[{op.device.kind, op.device.time_s}] += op.device.time_s * op.device.deviation;
    }
    ++kind.count;
    kind.time_s += op.device.time_s;
    kind.deviation += op.device.time_s * op.device.deviation;
    kind.source = op.device.source;
  }
  const double all = step.device.value;
  double variance = all > 0.0 ? std::pow(common / all, 2.0) : 0.0;
  for (auto& [place, kind] : kinds) {
    const bool carried = !kind.device.empty() && kind.device != target;
    if (all > 0.0) {
      variance += (carried ? shared_error : 1.0) * std::pow(kind.deviation / all, 2.0);
    }
    kind.deviation /= kind.time_s;
    kind.share = all > 0.0 ? kind.time_s / all : 0.0;
    step.kinds.push_back(std::move(kind));
  }
  for (const auto& [place, deviation] : shapes) {
    if (all > 0.0) variance += (1.0 - shared_error) * std::pow(deviation / all, 2.0);
  }
  std::ranges::sort(step.kinds, std::greater{}, &KindShare::time_s);
  return variance;
}

void add_notes(const Schedule& schedule, const TimeModel& model, StepTime& step) {
  double uncertain = 0.0;
  double unknown = 0.0;
  for (const KindShare& kind : step.kinds) {
    if (kind.source == TimeSource::other_kind) uncertain += kind.time_s;
    if (kind.source == TimeSource::roofline) unknown += kind.time_s;
  }
  const double all = step.device.value;
  const auto note = [&](double part, NoteCode code) {
    if (part > 0.05 * all) step.notes.push_back({code, {part / all}});
  };
  note(uncertain, "neighbouring_kinds");
  note(unknown, "roofline_kinds");
  for (const ScheduledOp& op : schedule.ops) {
    if (op.node < 0) continue;
    const graph::Op& node = schedule.graph.nodes[static_cast<std::size_t>(op.node)].op;
    if (!std::holds_alternative<graph::Opaque>(node)) continue;
    step.notes.push_back({"op_without_rule", {graph::name_of(node)}});
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
                             ? Note{"carried_from_other_maker", {model.target().vendor, devices}}
                             : Note{"carried_over", {devices}});
  }
}

}  // namespace

StepTime predict_step(const Schedule& schedule, const TimeModel& model,
                      const StepTimeOptions& options) {
  StepTime step;
  const FusedModules modules(schedule);
  Issuer issuer(schedule, modules, options.host,
                model.figure_or("launch.issue", fallback_launch_s) * options.host_slowness);
  DeviceTimes times(schedule, model, modules);
  const double gap = model.figure_or("launch.gap", 0.0);
  DeviceQueue queue(gap, options.host == nullptr ? 0.0 : fallback_latency_s);
  queue.issue(options.host == nullptr ? 0.0 : options.host->step_s);
  double device_sum = 0.0;
  for (const ScheduledOp& op : schedule.ops) {
    OpTime time;
    time.issue_s = issuer.cost(op);
    queue.issue(time.issue_s);
    if (std::optional<OpEstimate> estimate = times.time(op)) {
      time.device = *std::move(estimate);
      time.start_s = queue.next_start();
      time.end_s = time.start_s + time.device.time_s;
      queue.finish(time.end_s);
      device_sum += time.device.time_s + gap;
    } else {
      time.start_s = time.end_s = queue.device_free();
    }
    if (op.host_waits()) queue.host_waits();
    step.ops.push_back(std::move(time));
  }
  const double host = queue.host();
  const double whole = queue.end();
  step.device = Seconds{device_sum};
  step.host = Seconds{options.host == nullptr ? 0.0 : host};
  step.time = Seconds{whole};
  double variance = summarise(step, model.target().id);
  // What waits for the host errs as the host does.
  const double waiting = whole > 0.0 ? std::clamp(1.0 - device_sum / whole, 0.0, 1.0) : 0.0;
  variance *= (1.0 - waiting) * (1.0 - waiting);
  const double host_share = step.host_bound() ? 1.0 : waiting;
  const double jitter =
      options.host == nullptr ? 0.0 : std::log(std::max(options.host->jitter, 1.0));
  variance +=
      std::pow(std::hypot(host_deviation, jitter, options.host_deviation) * host_share, 2.0) +
      floor_deviation * floor_deviation;
  step.deviation = std::sqrt(variance);
  std::tie(step.low, step.high) = ninety_percent_interval(whole, step.deviation);
  add_notes(schedule, model, step);
  return step;
}

}  // namespace rooflab::predict
