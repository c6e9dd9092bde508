// Which module keeps an argument is module_stack.hpp's rule, for values here and for tensors in
// schedule/lower.cpp. A view counts as made when its memory was.

#include <algorithm>

#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::graph {
namespace {

using NodeIndex = std::size_t;

class Lifetimes {
 public:
  Lifetimes(const Graph& graph, bool training)
      : graph_(graph),
        training_(training),
        made_(graph.values.size(), 0),
        last_(graph.values.size(), never) {}

  std::vector<std::vector<ValueId>> dropped() && {
    for (NodeIndex i = 0; i < graph_.nodes.size(); ++i) {
      if (runs(graph_.nodes[i])) visit(i);
    }
    modules_.finish([this](const auto& arguments) { keep(arguments); });
    keep_outputs();
    std::vector<std::vector<ValueId>> result(graph_.nodes.size());
    for (std::size_t id = 0; id < last_.size(); ++id) {
      if (last_[id] < kept) result[last_[id]].push_back(static_cast<ValueId>(id));
    }
    return result;
  }

 private:
  static constexpr NodeIndex never = static_cast<NodeIndex>(-1);
  static constexpr NodeIndex kept = never - 1;

  [[nodiscard]] bool runs(const Node& node) const { return training_ || !node.training_only; }

  void visit(NodeIndex i) {
    const Node& node = graph_.nodes[i];
    modules_.enter(node.name, i, [this](const auto& arguments) { keep(arguments); });
    for (const ValueId id : node.inputs) {
      if (graph_.value(id).kind != ValueKind::result) continue;
      last(id) = i;
      modules_.read(id, made(id));
    }
    for (const ValueId id : node.holds) {
      if (graph_.value(id).kind == ValueKind::result) last(id) = i;
    }
    for (const ValueId id : node.outputs) {
      made(id) = shares_memory(node) ? made(node.inputs.front()) : i + 1;
      last(id) = i;  // until it is read
    }
    last_run_ = i;
  }

  /// Arguments of a module that returned behind the last node that ran.
  void keep(const std::vector<ValueId>& arguments) {
    for (const ValueId id : arguments) last(id) = std::max(last(id), last_run_);
  }

  [[nodiscard]] bool shares_memory(const Node& node) const {
    if (node.inputs.empty()) return false;
    const bool passes = !training_ && std::holds_alternative<Dropout>(node.op);
    return is_view(node.op) || writes_in_place(node.op) || passes;
  }

  void keep_outputs() {
    for (const ValueId id : graph_.outputs) last(id) = kept;
    if (!training_) return;
    for (const ValueId id : side_results(graph_)) last(id) = kept;
  }

  /// One more than the node that made the value's memory; 0: there from the beginning.
  NodeIndex& made(ValueId id) { return made_[static_cast<std::size_t>(id)]; }
  /// The last node that names the value.
  NodeIndex& last(ValueId id) { return last_[static_cast<std::size_t>(id)]; }

  const Graph& graph_;
  bool training_;
  std::vector<NodeIndex> made_;
  std::vector<NodeIndex> last_;
  NodeIndex last_run_ = 0;
  ModuleStack<ValueId> modules_;
};

}  // namespace

std::vector<ValueId> side_results(const Graph& graph) {
  std::vector<bool> read(graph.values.size(), false);
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.inputs) read[static_cast<std::size_t>(id)] = true;
  }
  std::vector<ValueId> results;
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.outputs) {
      if (node.training_only && !read[static_cast<std::size_t>(id)]) results.push_back(id);
    }
  }
  return results;
}

std::vector<std::vector<ValueId>> dropped_after(const Graph& graph, bool training) {
  return Lifetimes(graph, training).dropped();
}

}  // namespace rooflab::graph
