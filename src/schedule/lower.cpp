// Lowering: precision, forward pass, loss, backward pass, optimizer step; then what stays alive
// longer than its last use says (casts of parameters under autocast, arguments of modules).

#include "lowering.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::schedule {
namespace {

void hold_to_the_end(Schedule& schedule, const std::vector<TensorId>& tensors) {
  if (schedule.ops.empty()) return;
  std::vector<TensorId>& holds = schedule.ops.back().holds;
  holds.insert(holds.end(), tensors.begin(), tensors.end());
}

/// Autocast keeps the casts of parameters until its block, the forward pass, ends.
void hold_cast_parameters(Schedule& schedule) {
  if (!autocast_type(schedule.precision)) return;
  std::vector<TensorId> cached;
  for (const ScheduledOp& op : schedule.ops) {
    if (std::holds_alternative<NodeWork>(op.work) && op.reads.size() == 1 &&
        schedule.storage_of(op.reads.front()).role == Role::parameter &&
        std::holds_alternative<graph::Cast>(
            schedule.graph.nodes[static_cast<std::size_t>(op.node)].op)) {
      cached.push_back(op.writes.front());
    }
  }
  hold_to_the_end(schedule, cached);
}

/// Arguments of modules stay alive until the modules return.
void hold_arguments(Schedule& schedule) {
  // One more than the op that first wrote the storage; 0: alive from the beginning.
  std::vector<std::size_t> written(schedule.storages.size(), 0);
  graph::ModuleStack<TensorId> modules;
  const auto hold_after = [&schedule](std::size_t op) {
    return [&holds = schedule.ops[op].holds](const std::vector<TensorId>& arguments) {
      holds.insert(holds.end(), arguments.begin(), arguments.end());
    };
  };
  for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
    const ScheduledOp& op = schedule.ops[i];
    modules.enter(schedule.graph.nodes[static_cast<std::size_t>(op.node)].name, i,
                  hold_after(i == 0 ? 0 : i - 1));
    for (const TensorId id : op.reads) {
      const std::size_t made = written[static_cast<std::size_t>(schedule.tensor(id).storage)];
      if (made > 0) modules.read(id, made);
    }
    for (const TensorId id : op.writes) {
      std::size_t& made = written[static_cast<std::size_t>(schedule.tensor(id).storage)];
      if (made == 0) made = i + 1;
    }
  }
  if (!schedule.ops.empty()) modules.finish(hold_after(schedule.ops.size() - 1));
}

}  // namespace

Schedule lower(const graph::Graph& graph, const LoweringOptions& options) {
  Schedule schedule;
  schedule.graph = graph::with_precision(graph, options.precision);
  schedule.phase = options.phase;
  schedule.channels_last = options.channels_last;
  schedule.precision = graph::precision_in(graph, options.precision);
  schedule.optimizer = options.optimizer;
  Lowering lowering(schedule, options);

  lowering.lower_forward_pass();
  hold_cast_parameters(schedule);
  hold_arguments(schedule);
  schedule.forward_end = schedule.ops.size();
  if (options.phase != Phase::training) return schedule;
  if (options.takes_gradients) {
    lowering.take_gradients();
  } else {
    lowering.lower_loss();
  }
  lowering.lower_backward_pass();
  lowering.lower_optimizer();
  hold_to_the_end(schedule, lowering.unreleased());
  return schedule;
}

}  // namespace rooflab::schedule
