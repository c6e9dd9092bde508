// Lowering: precision, forward pass, loss, backward pass, optimizer step; then what stays alive
// longer than its last use says (casts of parameters under autocast, arguments of modules).

#include <algorithm>
#include <string_view>

#include "lowering.hpp"
#include "rooflab/graph/precision_rewrite.hpp"

namespace rooflab::schedule {
namespace {

void hold_to_the_end(Schedule& schedule, const std::vector<TensorId>& tensors) {
  if (schedule.ops.empty()) return;
  std::vector<TensorId>& holds = schedule.ops.back().holds;
  holds.insert(holds.end(), tensors.begin(), tensors.end());
}

/// Autocast keeps the casts of parameters until its block, the forward pass, ends.
void hold_cast_parameters(Schedule& schedule) {
  if (schedule.precision != Precision::amp) return;
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

/// A module's arguments stay alive while it runs: its caller still names them. Modules are the
/// scopes of the nodes' names.
class ArgumentHolder {
 public:
  explicit ArgumentHolder(Schedule& schedule)
      : schedule_(schedule), written_(schedule.storages.size(), 0) {}

  void run() && {
    for (std::size_t i = 0; i < schedule_.ops.size(); ++i) {
      const ScheduledOp& op = schedule_.ops[i];
      enter(schedule_.graph.nodes[static_cast<std::size_t>(op.node)].name, i);
      for (const TensorId id : op.reads) {
        if (written(id) == 0) continue;
        // The outermost module that it was made before keeps it; the inner ones need not.
        const auto holder = std::ranges::find_if(
            open_, [&](const Module& module) { return written(id) <= module.first_op; });
        if (holder != open_.end()) holder->arguments.push_back(id);
      }
      for (const TensorId id : op.writes) {
        if (written(id) == 0) written(id) = i + 1;
      }
    }
    while (!open_.empty()) leave(schedule_.ops.size() - 1);
  }

 private:
  struct Module {
    std::string_view path;  ///< ends with a dot
    std::size_t first_op;
    std::vector<TensorId> arguments;
  };

  /// One more than the op that first wrote the tensor's storage; 0: alive from the beginning.
  std::size_t& written(TensorId id) {
    return written_[static_cast<std::size_t>(schedule_.tensor(id).storage)];
  }

  void enter(std::string_view node, std::size_t op) {
    while (!open_.empty() && !node.starts_with(open_.back().path)) leave(op - 1);
    std::size_t begin = open_.empty() ? 0 : open_.back().path.size();
    for (std::size_t dot = node.find('.', begin); dot != std::string_view::npos;
         dot = node.find('.', dot + 1)) {
      open_.push_back({node.substr(0, dot + 1), op, {}});
    }
  }

  void leave(std::size_t last_op) {
    std::vector<TensorId>& holds = schedule_.ops[last_op].holds;
    holds.insert(holds.end(), open_.back().arguments.begin(), open_.back().arguments.end());
    open_.pop_back();
  }

  Schedule& schedule_;
  std::vector<std::size_t> written_;  ///< by StorageId
  std::vector<Module> open_;
};

}  // namespace

Schedule lower(const graph::Graph& graph, const LoweringOptions& options) {
  Schedule schedule;
  schedule.graph = graph::with_precision(graph, options.precision);
  schedule.phase = options.phase;
  schedule.precision = options.precision;
  schedule.optimizer = options.optimizer;
  Lowering lowering(schedule, options);

  lowering.lower_forward_pass();
  hold_cast_parameters(schedule);
  ArgumentHolder(schedule).run();
  schedule.forward_end = schedule.ops.size();
  if (options.phase != Phase::training) return schedule;
  lowering.lower_loss();
  lowering.lower_backward_pass();
  lowering.lower_optimizer();
  hold_to_the_end(schedule, lowering.unreleased());
  return schedule;
}

}  // namespace rooflab::schedule
