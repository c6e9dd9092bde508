// The time of a step: two queues, the host's and the device's.
//
// The host issues op i at h_i = h_(i-1) + c_i, c_i what its class costs to issue; the device starts
// it at max(h_i + latency, end of op i-1 + gap) and takes its time. A program issues one step after
// another without waiting for the device, so the time of a step is that from the end of one to the
// end of the next, once that has settled. A step of many small ops then takes the host's time; in
// one of few large ops the host gets ahead of the device, which never idles. Where the host reads a
// result (found_inf of loss scaling) it issues nothing until the device has finished, and the
// device then idles until the next op has been issued: such a step takes more than either.
//
// The gap is `launch.gap`, the device's time for an empty kernel in a queued train: no two ops
// follow each other faster. Times of single ops are without it, since the marks around an op have
// the same gap and theirs is subtracted. A calibration without that figure (rooflab-probe was not
// there) has ops follow at once, a lower bound.
//
// What the host pays: a forward op once per node by class (with or without recording), views too; a
// node's backward once; kernels beside a node's first (bias, counters) a launch, unless the class
// was measured with all of them (slice, pad, roll, index, einsum, shift_mask); copies of operands a
// copy; what a tensor subclass took apart to get to the op (DTensor) the class `wrapped` each time;
// the optimizer by tensors; loss and step once; an op of loss scaling a launch; a module of modules
// a call in the forward pass where an op is the first in it, by the scopes of the nodes' names:
// `layer1.0.conv1` behind `maxpool` enters `layer1` and `layer1.0`, and `layer1.0.bn1` behind that
// nothing. Source of the form: prediction of launch-bound training as in "Habitat" (Yu et al., ATC
// 2021) and Daydream (Zhu et al., ATC 2020); costs are measured.
//
// A step that is replayed as a CUDA graph (graph_replay.cpp) pays one launch and issues no op: the
// device runs one kernel after another, each in its time by itself less what the shortest op takes
// by itself, and more by what that op takes in a graph. The host can read nothing within a graph.
// What it reads before the first kernel or behind the last is outside of it, and the host waits
// there.
//
// Interval. Two numbers err independently: the pace of the device (step_uncertainty.cpp says by how
// much) and the pace of the host. The step is simulated again with both slowed down, and with both
// sped up, along a quarter circle of 1.645 deviations; the slowest and the fastest of these steps
// are the ends of the interval. Where one queue is far behind, that is its own 90 %; where both are
// near, a slow host alone or a slow device alone makes the step longer, and only a fast host on a
// fast device makes it shorter. Source: the first-order reliability method of Hasofer and Lind, J.
// Eng. Mech. Div. ASCE 100, 1974. Issue costs are those of an undisturbed host, so their jitter
// counts upwards only. Of a graph the pace of the device, that op and the launch err independently:
// the step is simulated with each of them changed, and what that adds is summed as squares.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <tuple>

#include "achievable_rate.hpp"
#include "device_queue.hpp"
#include "interval.hpp"
#include "notes/predict_notes.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/graph/op_facts.hpp"
#include "rooflab/predict/time_model.hpp"
#include "step_exchange.hpp"
#include "step_queues.hpp"
#include "step_uncertainty.hpp"

namespace rooflab::predict {
namespace {

using schedule::Pass;
using schedule::Schedule;
using schedule::ScheduledOp;

constexpr double host_deviation = 0.15;
/// Plans of cuDNN: their costs were seen on few machines.
constexpr double plan_deviation = 0.4;

/// What the shortest op takes by itself: one number is written. Marks around an op cost that much
/// beyond what it works.
double shortest_op_s(const TimeModel& model) {
  return model.estimate({"fill", "forward", "f32", "", {1.0}}).time_s;
}

/// How many times as long the ops of a program take to issue as equal ops in a row.
double program_pace(const Schedule& schedule, const TimeModel& model,
                    const device::HostCosts* host) {
  const bool recorded = !schedule.lives.empty();
  if (!recorded || host == nullptr || host->issuer != "pytorch") return 1.0;
  return model.figure_or("issue.program", 1.0);
}

/// Where a calibration lacks the cost of operations that wrappers take apart: the most that one may
/// take. DTensor's in PyTorch 2.14 took 8 us without autograd and 120 us in a backward pass.
constexpr double most_wrapped_s = 120e-6;

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

/// A multi-tensor pass over the parameters.
bool is_optimizer_pass(const ScheduledOp& op) {
  return std::holds_alternative<schedule::OptimizerWork>(op.work);
}

/// What the host pays for each op of a schedule.
class Issuer {
 public:
  Issuer(const Schedule& schedule, const FusedModules& modules, const device::HostCosts* costs,
         double launch_s, double pace)
      : schedule_(schedule), modules_(modules), costs_(costs), launch_s_(launch_s), pace_(pace) {
    for (const ScheduledOp& op : schedule.ops) {
      if (grows(op)) grown_.insert(schedule.tensor(op.writes.front()).storage);
      if (is_optimizer_pass(op)) ++optimizer_ops_;
      if (op.pass == Pass::loss && !scales_loss(op)) ++loss_ops_;
    }
  }

  double cost(const ScheduledOp& op) {
    if (costs_ == nullptr || modules_.hides(op)) return 0.0;
    return (op_cost(op) + module_calls(op) + wrapped_cost(op)) * pace_ + plan_cost(op);
  }

  /// The part of all costs so far that went into plans.
  [[nodiscard]] double plans_s() const { return plans_s_; }

  /// Operations that wrappers took apart, at a cost that is not known.
  [[nodiscard]] std::int64_t unknown_wrapped() const { return unknown_wrapped_; }

 private:
  /// Autograd takes no part in those of the optimizer.
  double wrapped_cost(const ScheduledOp& op) {
    if (op.wrapped == 0) return 0.0;
    const device::HostCost* const known = known_cost("wrapped");
    if (known == nullptr) {
      unknown_wrapped_ += op.wrapped;
      return 0.0;
    }
    if (op.pass == Pass::optimizer) return op.wrapped * known->inference_s;
    return op.wrapped *
           pass_cost(*known, op.pass == Pass::backward ? Pass::data_gradient : op.pass);
  }

  /// The calls of the modules that the op is the first in. The module that an op is alone in
  /// (nn.Conv2d: the last part of its name) is called within the op's own cost.
  double module_calls(const ScheduledOp& op) {
    if (!costs_->module_call_s || op.pass != Pass::forward || op.node < 0) return 0.0;
    const graph::Node& node = node_of(op);
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

  /// A concatenation with something that was there before the step: a cache with a new token.
  [[nodiscard]] bool grows(const ScheduledOp& op) const {
    if (schedule_.lives.empty() || op.node < 0 || op.writes.empty() || is_gradient(op.pass)) {
      return false;
    }
    if (!std::holds_alternative<graph::Concat>(node_of(op).op)) return false;
    const auto before = [this](schedule::TensorId id) {
      const auto storage = static_cast<std::size_t>(schedule_.tensor(id).storage);
      return schedule_.lives[storage].before && schedule_.storages[storage].bytes.value() > 0;
    };
    return !before(op.writes.front()) && std::ranges::any_of(op.reads, before);
  }

  /// The plan of an attention whose keys are longer in each step, for each shape once.
  double plan_cost(const ScheduledOp& op) {
    constexpr std::size_t keys = 1;
    if (grown_.empty() || op.node < 0 || op.reads.size() <= keys || is_gradient(op.pass))
      return 0.0;
    if (node_of(op).issued_as != "cudnn_attention") return 0.0;
    const schedule::Tensor& key = schedule_.tensor(op.reads[keys]);
    const device::HostCost* const plan = known_cost("attention_plan");
    if (plan == nullptr || !grown_.contains(key.storage)) return 0.0;
    if (!planned_.emplace(schedule_.tensor(op.reads[0]).type.shape.dims(), key.type.shape.dims())
             .second) {
      return 0.0;
    }
    const double cost = pass_cost(*plan, op.pass);
    plans_s_ += cost;
    return cost;
  }

  [[nodiscard]] const graph::Node& node_of(const ScheduledOp& op) const {
    return schedule_.graph.nodes[static_cast<std::size_t>(op.node)];
  }

  double op_cost(const ScheduledOp& op) {
    if (modules_.stands_for_one(op)) {
      return class_cost(is_module_call(op) ? "attention_module" : "attention", op.pass);
    }
    if (scales_loss(op)) return launch_s_;
    if (is_optimizer_pass(op)) return optimizer_cost(op);
    if (op.pass == Pass::loss) return costs_->loss_s / loss_ops_;
    if (std::holds_alternative<schedule::CastWork>(op.work)) return class_cost("cast", op.pass);
    if (std::holds_alternative<schedule::AccumulateWork>(op.work)) {
      return class_cost("binary", Pass::forward) * 0.5;
    }
    if (op.node < 0) return launch_s_;
    if (op.is_message()) {
      return launches_of_a_collective * launch_s_;
    }
    return node_cost(op, node_of(op));
  }

  /// A node is paid for with its first op in each direction; what else it launches is in the call.
  /// Copies that the framework makes of operands are calls of their own.
  double node_cost(const ScheduledOp& op, const graph::Node& node) {
    const bool copies = std::holds_alternative<schedule::CopyWork>(op.work);
    const double copy_s = copies ? class_cost("copy", Pass::forward) : 0.0;
    if (copies && graph::family_of(node.op) != graph::Family::movement) return copy_s;
    const KnownCost known = known_cost(node);
    const bool is_first = paid_.insert({op.node, is_gradient(op.pass)}).second;
    if (!is_first) return is_view(op) || known.is_whole ? 0.0 : launch_s_;
    const double own_s = known.cost == nullptr ? launch_s_ : pass_cost(*known.cost, op.pass);
    return graph::is_view(node.op) && !known.is_whole ? own_s + copy_s : own_s;
  }

  static bool is_view(const ScheduledOp& op) {
    return std::holds_alternative<schedule::ViewWork>(op.work);
  }

  struct KnownCost {
    const device::HostCost* cost = nullptr;
    bool is_whole = false;  ///< measured with every kernel that the node launches
  };

  /// A class that has a wider one, and one that the node names, are of whole calls.
  [[nodiscard]] KnownCost known_cost(const graph::Node& node) const {
    const auto [named, own, wider] = host_classes_of(node);
    if (const device::HostCost* const cost = known_cost(named)) return {cost, true};
    if (const device::HostCost* const cost = known_cost(own)) return {cost, !wider.empty()};
    return {known_cost(wider), false};
  }

  [[nodiscard]] const device::HostCost* known_cost(std::string_view host_class) const {
    if (host_class.empty()) return nullptr;
    const std::string name(host_class);
    if (autocast_type(schedule_.precision)) {
      const auto changed = costs_->autocast.find(name);
      if (changed != costs_->autocast.end()) return &changed->second;
    }
    const auto known = costs_->ops.find(name);
    return known == costs_->ops.end() ? nullptr : &known->second;
  }

  [[nodiscard]] double class_cost(std::string_view name, Pass pass) const {
    const device::HostCost* const known = known_cost(name);
    return known == nullptr ? launch_s_ : pass_cost(*known, pass);
  }

  [[nodiscard]] double pass_cost(const device::HostCost& cost, Pass pass) const {
    if (is_gradient(pass)) return cost.backward_s.value_or(cost.inference_s);
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
  double pace_;
  double plans_s_ = 0.0;
  std::set<schedule::StorageId> grown_;  ///< made by grows()
  std::set<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> planned_;
  double optimizer_ops_ = 0.0;
  double loss_ops_ = 0.0;
  std::int64_t unknown_wrapped_ = 0;
  std::set<std::pair<graph::NodeId, bool>> paid_;
  graph::ModuleStack<schedule::TensorId> open_;  ///< its arguments are not looked at
};

/// Device times of all ops; equal shapes are asked about once.
class DeviceTimes {
 public:
  DeviceTimes(const Schedule& schedule, const TimeModel& model, const FusedModules& modules)
      : schedule_(schedule), model_(model), modules_(modules) {
    for (const ScheduledOp& op : schedule.ops) {
      if (const auto group = optimizer_group(op)) optimizer_bytes_[*group] += bytes(op);
    }
  }

  std::optional<OpEstimate> time(const ScheduledOp& op) {
    const std::optional<OpShape> shape = modules_.shape(op, model_.target());
    if (!shape) return std::nullopt;
    const auto [known, is_new] =
        known_.try_emplace(std::pair(shape->kind(), shape->sizes), shapes_.size());
    if (is_new) shapes_.push_back({*shape, model_.estimate(*shape)});
    ShapeShare& share = shapes_[known->second];
    OpEstimate estimate = share.estimate;
    // The optimizer's passes were measured as one step.
    if (const auto group = optimizer_group(op)) {
      const double all = optimizer_bytes_[*group];
      if (all > 0.0) estimate.time_s *= bytes(op) / all;
    }
    share.time_s += estimate.time_s;
    return estimate;
  }

  /// What was asked for so far, by shape.
  [[nodiscard]] std::span<const ShapeShare> shapes() const { return shapes_; }

 private:
  /// Passes over the same tensors in one step of one optimizer.
  using OptimizerGroup = std::pair<int, std::size_t>;

  static std::optional<OptimizerGroup> optimizer_group(const ScheduledOp& op) {
    const auto* pass = std::get_if<schedule::OptimizerWork>(&op.work);
    if (pass == nullptr) return std::nullopt;
    return OptimizerGroup{pass->group, op.writes.size()};
  }

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
  std::map<OptimizerGroup, double> optimizer_bytes_;
  std::vector<ShapeShare> shapes_;
  std::map<std::pair<std::string, std::vector<double>>, std::size_t> known_;  ///< in shapes_
};

/// Deviations of the logarithms of both paces.
struct PaceDeviation {
  double slow_host = 0.0;
  double fast_host = 0.0;
  double device = 0.0;
};

void set_interval(StepTime& step, const StepQueues& queues, const PaceDeviation& deviation) {
  constexpr int parts = 4;  // of the quarter circle
  step.low = step.high = step.time;
  for (int i = 0; i <= parts; ++i) {
    const double angle = 0.5 * std::numbers::pi * i / parts;
    const double host = quantile_of_ninety_percent * std::cos(angle);
    const double device = quantile_of_ninety_percent * std::sin(angle) * deviation.device;
    const double slow = queues.period({std::exp(host * deviation.slow_host), std::exp(device)});
    const double fast = queues.period({std::exp(-host * deviation.fast_host), std::exp(-device)});
    step.high = std::max(step.high, Seconds{slow});
    step.low = std::min(step.low, Seconds{fast});
  }
}

void set_interval_of_graph(StepTime& step, const StepQueues& queues, double device_deviation,
                           const GraphReplay::Cost& kernel, const GraphReplay::Cost& launch) {
  const auto ratio = [](double changed, double expected) {
    return expected > 0.0 ? changed / expected : 1.0;
  };
  const auto change = [&](const Pace& pace) { return queues.period(pace) - step.time.value; };
  const double device = std::exp(quantile_of_ninety_percent * device_deviation);
  const double slower =
      std::hypot(change({.device = device}), change({.gap = ratio(kernel.high, kernel.expected)}),
                 change({.host = ratio(launch.high, launch.expected)}));
  const double faster = std::hypot(change({.device = 1.0 / device}),
                                   change({.gap = ratio(kernel.low, kernel.expected)}),
                                   change({.host = ratio(launch.low, launch.expected)}));
  step.high = Seconds{step.time.value + slower};
  step.low = Seconds{step.time.value - faster};
}

/// Whether the step makes storages of a cache, as one does that grows token by token.
bool makes_cache(const Schedule& schedule) {
  for (std::size_t i = 0; i < schedule.lives.size(); ++i) {
    if (schedule.storages[i].role == schedule::Role::cache && !schedule.lives[i].before) {
      return true;
    }
  }
  return false;
}

/// Throws Error (usage) for a step that no graph can hold: the host reads a result within it.
void check_capturable(const Schedule& schedule, const std::vector<OpTime>& ops) {
  const auto on_device = [](const OpTime& op) { return StepQueues::runs_on_device(op); };
  const auto first = std::ranges::find_if(ops, on_device) - ops.begin();
  const auto last = ops.rend() - std::find_if(ops.rbegin(), ops.rend(), on_device) - 1;
  for (auto i = first; i < last; ++i) {
    const ScheduledOp& op = schedule.ops[static_cast<std::size_t>(i)];
    if (!op.host_waits()) continue;
    throw Error(ErrorKind::usage,
                format("no CUDA graph can hold this step: the host waits within it for '{}'",
                       schedule.name_of(op)),
                "take the read (.item(), a branch on a number) out of the step, or predict ops that"
                " are issued one by one");
  }
}

/// Whether the op's time is part of the device's.
bool is_of_device(const Schedule& schedule, const StepTime& step, std::size_t i) {
  return StepQueues::runs_on_device(step.ops[i]) && !schedule.ops[i].is_message_beside();
}

/// What the device's time has beside its kinds of kernels, so that all rows make that time: the
/// pauses between kernels, and messages that no kernel runs beside.
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

/// Sums the step up by kind; messages are in none.
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

void add_notes(const Schedule& schedule, const TimeModel& model, std::span<const ShapeShare> shapes,
               StepTime& step) {
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

}  // namespace

StepTime predict_step(const Schedule& schedule, const TimeModel& model,
                      const StepTimeOptions& options) {
  StepTime step;
  const FusedModules modules(schedule);
  const device::HostCosts* const costs = options.graph == nullptr ? options.host : nullptr;
  Issuer issuer(schedule, modules, costs,
                model.figure_or("launch.issue", fallback_launch_s) * options.host_slowness,
                program_pace(schedule, model, costs));
  DeviceTimes times(schedule, model, modules);
  const double shortest_s = options.graph != nullptr ? shortest_op_s(model) : 0.0;
  for (const ScheduledOp& op : schedule.ops) {
    OpTime time;
    time.issue_s = issuer.cost(op);
    if (std::optional<OpEstimate> estimate = times.time(op)) {
      time.device = *std::move(estimate);
      time.device.time_s = std::max(0.0, time.device.time_s - shortest_s);
    }
    step.ops.push_back(std::move(time));
  }

  const Exchange exchange = set_messages(schedule, options, step.ops);

  const std::size_t kernels =
      static_cast<std::size_t>(std::ranges::count_if(step.ops, &StepQueues::runs_on_device));
  GraphReplay::Cost launch;
  if (options.graph != nullptr) {
    check_capturable(schedule, step.ops);
    launch = options.graph->launch(kernels);
    step.notes = options.graph->notes(kernels);
    if (makes_cache(schedule)) step.notes.push_back({says.graph_needs_fixed_sizes});
    step.replayed = true;
  }
  const bool has_host = costs != nullptr || step.replayed;
  const double step_issue_s = costs != nullptr ? costs->step_s : launch.expected;
  const double gap =
      step.replayed ? options.graph->kernel.expected : model.figure_or("launch.gap", 0.0);
  step.gap_s = gap;
  StepQueues queues(schedule, step.ops, {gap, has_host ? fallback_latency_s : 0.0}, step_issue_s);
  Contention contention;
  if (exchange.time_s > 0.0) {
    contention = contention_on(model.target(), *options.link, exchange.ranks);
    queues.set(contention, contention.measured ? limit_of(schedule, model.target()).ops
                                               : std::vector<OpLimit>());
  }
  const StepQueues::Result result =
      queues.run({}, [&step](std::size_t i, double issued_s, double start_s, double end_s) {
        step.ops[i].issued_s = issued_s;
        step.ops[i].start_s = start_s;
        step.ops[i].end_s = end_s;
      });
  step.time = Seconds{result.period_s};
  if (exchange.messages > 0) step.communication = communication_of(exchange, options.link, result);
  step.host.value += step_issue_s;
  for (std::size_t i = 0; i < step.ops.size(); ++i) {
    const OpTime& op = step.ops[i];
    step.host.value += op.issue_s;
    if (is_of_device(schedule, step, i)) step.device.value += op.device.time_s + gap;
  }

  PaceDeviation deviation;
  deviation.device =
      std::sqrt(device_variance(times.shapes(), step.device.value, model.target().id));
  if (costs != nullptr) {
    const double jitter = std::log(std::max(costs->jitter, 1.0));
    deviation.fast_host =
        std::hypot(host_deviation, options.host_deviation,
                   plan_deviation * issuer.plans_s() / std::max(step.host.value, 1e-12));
    deviation.slow_host = std::hypot(deviation.fast_host, jitter);
  }
  if (step.replayed) {
    set_interval_of_graph(step, queues, deviation.device, options.graph->kernel, launch);
  } else {
    set_interval(step, queues, deviation);
  }
  if (exchange.time_s > 0.0) widen(step, queues, exchange, contention);
  summarise(schedule, step);
  add_notes(schedule, model, times.shapes(), step);
  add_pauses(schedule, step, model, deviation.device);
  if (step.communication) add_exchange_notes(*step.communication, model, options.link, step);
  if (issuer.unknown_wrapped() > 0) {
    step.high = std::max(step.high, Seconds{queues.period({.wrapped_s = most_wrapped_s})});
    step.notes.push_back({says.wrapped_ops_unknown, {issuer.unknown_wrapped()}});
  }
  return step;
}

}  // namespace rooflab::predict
