#pragma once

#include <map>
#include <optional>
#include <set>

#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/op_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::predict {

/// Attention modules that evaluation runs as one call: the op that stands for one takes all of its
/// time, its other ops none. The module hands on a plainly ordered result, so that the norm behind
/// it need not copy.
class FusedModules {
 public:
  explicit FusedModules(const schedule::Schedule& schedule) : schedule_(schedule) {
    // The framework takes this path in evaluation, outside autocast.
    if (schedule.phase != Phase::inference || autocast_type(schedule.precision)) return;
    for (const graph::AttentionModule& module : graph::find_attention_modules(schedule.graph)) {
      modules_.emplace(module.attention, module);
      members_.insert(module.nodes.begin(), module.nodes.end());
    }
  }

  [[nodiscard]] bool hides(const schedule::ScheduledOp& op) const {
    if (modules_.empty() || op.node < 0) return false;
    if (members_.contains(op.node)) {
      return !modules_.contains(op.node) || !std::holds_alternative<schedule::NodeWork>(op.work);
    }
    const graph::Op& node = schedule_.graph.nodes[static_cast<std::size_t>(op.node)].op;
    return std::holds_alternative<schedule::CopyWork>(op.work) &&
           std::holds_alternative<graph::LayerNorm>(node);
  }

  /// The op that stands for a module.
  [[nodiscard]] bool stands_for_one(const schedule::ScheduledOp& op) const {
    return modules_.contains(op.node) && std::holds_alternative<schedule::NodeWork>(op.work);
  }

  [[nodiscard]] std::optional<OpShape> shape(const schedule::ScheduledOp& op,
                                             const device::Device& device) const {
    if (hides(op)) return std::nullopt;
    const auto module = modules_.find(op.node);
    if (module == modules_.end()) return shape_of(schedule_, op, device);
    return shape_of(schedule_.graph, module->second, schedule_.precision, device);
  }

 private:
  const schedule::Schedule& schedule_;
  std::map<graph::NodeId, graph::AttentionModule> modules_;  ///< keys: the node that stands for it
  std::set<graph::NodeId> members_;
};

}  // namespace rooflab::predict
