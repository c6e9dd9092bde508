#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "fused_modules.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::predict {

/// What the host pays for each op of a schedule.
class Issuer {
 public:
  Issuer(const schedule::Schedule& schedule, const FusedModules& modules,
         const device::HostCosts* costs, double launch_s, double pace);

  double cost(const schedule::ScheduledOp& op);

  /// The part of all costs so far that went into plans.
  [[nodiscard]] double plans_s() const { return plans_s_; }

  /// Operations that wrappers took apart, at a cost that is not known.
  [[nodiscard]] std::int64_t unknown_wrapped() const { return unknown_wrapped_; }

 private:
  /// Autograd takes no part in those of the optimizer.
  double wrapped_cost(const schedule::ScheduledOp& op);

  /// The calls of the modules that the op is the first in. The module that an op is alone in
  /// (nn.Conv2d: the last part of its name) is called within the op's own cost.
  double module_calls(const schedule::ScheduledOp& op);

  /// The op stands for a module whose call is in its cost.
  [[nodiscard]] bool is_module_call(const schedule::ScheduledOp& op) const;

  /// A concatenation with something that was there before the step: a cache with a new token.
  [[nodiscard]] bool grows(const schedule::ScheduledOp& op) const;

  /// The plan of an attention whose keys are longer in each step, for each shape once.
  double plan_cost(const schedule::ScheduledOp& op);
  [[nodiscard]] const graph::Node& node_of(const schedule::ScheduledOp& op) const;
  double op_cost(const schedule::ScheduledOp& op);

  /// A node is paid for with its first op in each direction; what else it launches is in the call.
  /// Copies that the framework makes of operands are separate calls.
  double node_cost(const schedule::ScheduledOp& op, const graph::Node& node);
  static bool is_view(const schedule::ScheduledOp& op);

  struct KnownCost {
    const device::HostCost* cost = nullptr;
    bool is_whole = false;  ///< measured with every kernel that the node launches
  };

  /// A class that has a wider one, and one that the node names, are of whole calls.
  [[nodiscard]] KnownCost known_cost(const graph::Node& node) const;
  [[nodiscard]] const device::HostCost* known_cost(std::string_view host_class) const;
  [[nodiscard]] double class_cost(std::string_view name, schedule::Pass pass) const;
  [[nodiscard]] double pass_cost(const device::HostCost& cost, schedule::Pass pass) const;
  [[nodiscard]] double optimizer_cost(const schedule::ScheduledOp& op) const;

  const schedule::Schedule& schedule_;
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

}  // namespace rooflab::predict
