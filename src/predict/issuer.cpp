// The rules of what the host pays: the head of step_time.cpp.

#include "issuer.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "contention.hpp"
#include "rooflab/graph/op_facts.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {
namespace {

using schedule::Pass;
using schedule::Schedule;
using schedule::ScheduledOp;

/// Loss scaling runs in the passes of loss and optimizer, and was measured with neither.
bool scales_loss(const ScheduledOp& op) {
  return std::holds_alternative<schedule::GradScalerWork>(op.work);
}

/// A multi-tensor pass over the parameters.
bool is_optimizer_pass(const ScheduledOp& op) {
  return std::holds_alternative<schedule::OptimizerWork>(op.work);
}

}  // namespace

Issuer::Issuer(const Schedule& schedule, const FusedModules& modules,
               const device::HostCosts* costs, double launch_s, double pace)
    : schedule_(schedule), modules_(modules), costs_(costs), launch_s_(launch_s), pace_(pace) {
  for (const ScheduledOp& op : schedule.ops) {
    if (grows(op)) grown_.insert(schedule.tensor(op.writes.front()).storage);
    if (is_optimizer_pass(op)) ++optimizer_ops_;
    if (op.pass == Pass::loss && !scales_loss(op)) ++loss_ops_;
  }
}

double Issuer::cost(const ScheduledOp& op) {
  if (costs_ == nullptr || modules_.hides(op)) return 0.0;
  return (op_cost(op) + module_calls(op) + wrapped_cost(op)) * pace_ + plan_cost(op);
}

double Issuer::wrapped_cost(const ScheduledOp& op) {
  if (op.wrapped == 0) return 0.0;
  const device::HostCost* const known = known_cost("wrapped");
  if (known == nullptr) {
    unknown_wrapped_ += op.wrapped;
    return 0.0;
  }
  if (op.pass == Pass::optimizer) return op.wrapped * known->inference_s;
  return op.wrapped * pass_cost(*known, op.pass == Pass::backward ? Pass::data_gradient : op.pass);
}

double Issuer::module_calls(const ScheduledOp& op) {
  if (!costs_->module_call_s || op.pass != Pass::forward || op.node < 0) return 0.0;
  const graph::Node& node = node_of(op);
  // Autocast's are named below the op that they belong to, and inside its module.
  if (std::holds_alternative<graph::Cast>(node.op)) return 0.0;
  std::size_t entered = open_.enter(node.name, 0, [](const auto& /*arguments*/) {});
  if (is_module_call(op) && entered > 0) --entered;
  return static_cast<double>(entered) * *costs_->module_call_s;
}

bool Issuer::is_module_call(const ScheduledOp& op) const {
  return modules_.stands_for_one(op) && costs_->ops.contains("attention_module");
}

bool Issuer::grows(const ScheduledOp& op) const {
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

double Issuer::plan_cost(const ScheduledOp& op) {
  constexpr std::size_t keys = 1;
  if (grown_.empty() || op.node < 0 || op.reads.size() <= keys || is_gradient(op.pass)) return 0.0;
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

const graph::Node& Issuer::node_of(const ScheduledOp& op) const {
  return schedule_.graph.nodes[static_cast<std::size_t>(op.node)];
}

double Issuer::op_cost(const ScheduledOp& op) {
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

double Issuer::node_cost(const ScheduledOp& op, const graph::Node& node) {
  const bool copies = std::holds_alternative<schedule::CopyWork>(op.work);
  const double copy_s = copies ? class_cost("copy", Pass::forward) : 0.0;
  if (copies && graph::family_of(node.op) != graph::Family::movement) return copy_s;
  const KnownCost known = known_cost(node);
  const bool is_first = paid_.insert({op.node, is_gradient(op.pass)}).second;
  if (!is_first) return is_view(op) || known.is_whole ? 0.0 : launch_s_;
  const double own_s = known.cost == nullptr ? launch_s_ : pass_cost(*known.cost, op.pass);
  return graph::is_view(node.op) && !known.is_whole ? own_s + copy_s : own_s;
}

bool Issuer::is_view(const ScheduledOp& op) {
  return std::holds_alternative<schedule::ViewWork>(op.work);
}

Issuer::KnownCost Issuer::known_cost(const graph::Node& node) const {
  const auto [named, own, wider] = host_classes_of(node);
  if (const device::HostCost* const cost = known_cost(named)) return {cost, true};
  if (const device::HostCost* const cost = known_cost(own)) return {cost, !wider.empty()};
  return {known_cost(wider), false};
}

const device::HostCost* Issuer::known_cost(std::string_view host_class) const {
  if (host_class.empty()) return nullptr;
  const std::string name(host_class);
  if (autocast_type(schedule_.precision)) {
    const auto changed = costs_->autocast.find(name);
    if (changed != costs_->autocast.end()) return &changed->second;
  }
  const auto known = costs_->ops.find(name);
  return known == costs_->ops.end() ? nullptr : &known->second;
}

double Issuer::class_cost(std::string_view name, Pass pass) const {
  const device::HostCost* const known = known_cost(name);
  return known == nullptr ? launch_s_ : pass_cost(*known, pass);
}

double Issuer::pass_cost(const device::HostCost& cost, Pass pass) const {
  if (is_gradient(pass)) return cost.backward_s.value_or(cost.inference_s);
  return schedule_.phase == Phase::inference ? cost.inference_s
                                             : cost.forward_s.value_or(cost.inference_s);
}

double Issuer::optimizer_cost(const ScheduledOp& op) const {
  const std::string name(name_of(schedule_.optimizer));
  const auto value = [&name](const std::map<std::string, double>& costs) {
    const auto known = costs.find(name);
    return known == costs.end() ? 0.0 : known->second;
  };
  const double tensors = static_cast<double>(op.writes.size());
  return (value(costs_->optimizer_fixed_s) + value(costs_->optimizer_per_tensor_s) * tensors) /
         optimizer_ops_;
}

}  // namespace rooflab::predict
