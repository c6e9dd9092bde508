// The same rule of modules as in schedule/lower.cpp, for values instead of tensors: of the modules
// that are open when a value is read, the outermost one that was entered after the value was made
// keeps it. A view counts as made when its memory was.

#include "rooflab/graph/value_lifetime.hpp"

#include <algorithm>
#include <string_view>

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
    while (!open_.empty()) leave(last_run_);
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

  struct Module {
    std::string_view path;  ///< ends with a dot
    NodeIndex first;
    std::vector<ValueId> arguments;
  };

  [[nodiscard]] bool runs(const Node& node) const { return training_ || !node.training_only; }

  void visit(NodeIndex i) {
    const Node& node = graph_.nodes[i];
    enter(node.name, i);
    for (const ValueId id : node.inputs) {
      if (graph_.value(id).kind != ValueKind::result) continue;
      last(id) = i;
      const auto holder = std::ranges::find_if(
          open_, [&](const Module& module) { return made(id) <= module.first; });
      if (holder != open_.end()) holder->arguments.push_back(id);
    }
    for (const ValueId id : node.holds) {
      if (graph_.value(id).kind == ValueKind::result) last(id) = i;
    }
    for (const ValueId id : node.outputs) {
      made(id) = shares_memory(node) ? made(node.inputs.front()) : i + 1;
      last(id) = i;  // until somebody reads it
    }
    last_run_ = i;
  }

  void enter(std::string_view node, NodeIndex i) {
    while (!open_.empty() && !node.starts_with(open_.back().path)) leave(last_run_);
    const std::size_t begin = open_.empty() ? 0 : open_.back().path.size();
    for (std::size_t dot = node.find('.', begin); dot != std::string_view::npos;
         dot = node.find('.', dot + 1)) {
      open_.push_back({node.substr(0, dot + 1), i, {}});
    }
  }

  void leave(NodeIndex after) {
    for (const ValueId id : open_.back().arguments) last(id) = std::max(last(id), after);
    open_.pop_back();
  }

  [[nodiscard]] bool shares_memory(const Node& node) const {
    if (node.inputs.empty()) return false;
    if (is_view(node.op)) return true;
    return std::visit(Overloaded{[](const Unary& op) { return op.inplace; },
                                 [](const Binary& op) { return op.inplace; },
                                 [this](const Dropout& op) { return op.inplace || !training_; },
                                 [](const auto&) { return false; }},
                      node.op);
  }

  void keep_outputs() {
    for (const ValueId id : graph_.outputs) last(id) = kept;
    if (!training_) return;
    std::vector<bool> read(graph_.values.size(), false);
    for (const Node& node : graph_.nodes) {
      for (const ValueId id : node.inputs) read[static_cast<std::size_t>(id)] = true;
    }
    for (const Node& node : graph_.nodes) {
      for (const ValueId id : node.outputs) {
        if (node.training_only && !read[static_cast<std::size_t>(id)]) last(id) = kept;
      }
    }
  }

  /// One more than the node that made the value's memory; 0: there from the beginning.
  NodeIndex& made(ValueId id) { return made_[static_cast<std::size_t>(id)]; }
  /// The node after which nobody names the value.
  NodeIndex& last(ValueId id) { return last_[static_cast<std::size_t>(id)]; }

  const Graph& graph_;
  bool training_;
  std::vector<NodeIndex> made_;
  std::vector<NodeIndex> last_;
  NodeIndex last_run_ = 0;
  std::vector<Module> open_;
};

}  // namespace

std::vector<std::vector<ValueId>> dropped_after(const Graph& graph, bool training) {
  return Lifetimes(graph, training).dropped();
}

}  // namespace rooflab::graph
