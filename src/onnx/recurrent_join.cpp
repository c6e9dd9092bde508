#include "recurrent_join.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/value_readers.hpp"
#include "graph_cleanup.hpp"
#include "names.hpp"

namespace rooflab::onnx {
namespace {

using graph::Graph;
using graph::index_of;
using graph::Node;
using graph::Recurrent;
using graph::ValueId;

/// The layer below another one, and the dropout between them.
struct LayerBelow {
  graph::NodeId node = -1;
  double dropout = 0.0;
};

/// Whether transposes, one right behind the other, put every dimension back.
bool cancel(const graph::Op& first, const graph::Op& second) {
  const auto* const a = std::get_if<graph::Transpose>(&first);
  const auto* const b = std::get_if<graph::Transpose>(&second);
  if (a == nullptr || b == nullptr) return false;
  for (std::size_t i = 0; i < b->permutation.size(); ++i) {
    const auto from = static_cast<std::size_t>(b->permutation[i]);
    if (a->permutation[from] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

/// What makes the operand of `node`, if only views that come to nothing lie between.
std::optional<LayerBelow> layer_below(const Assembly& assembly, const graph::Readers& readers,
                                      const Node& node) {
  LayerBelow below;
  std::vector<graph::Op> views;  // from above
  ValueId id = node.inputs.front();
  for (;;) {
    const graph::NodeId producer = assembly.graph.value(id).producer;
    if (producer < 0 || readers.count[index_of(id)] != 1) return std::nullopt;
    const Node& maker = assembly.graph.nodes[index_of(producer)];
    if (std::holds_alternative<Recurrent>(maker.op)) {
      if (maker.outputs.front() != id) return std::nullopt;
      below.node = producer;
      break;
    }
    if (const auto* const dropout = std::get_if<graph::Dropout>(&maker.op)) {
      if (below.dropout > 0.0) return std::nullopt;
      below.dropout = dropout->p;
    } else if (!views.empty() && cancel(maker.op, views.back())) {
      views.pop_back();
    } else if (std::holds_alternative<graph::Reshape>(maker.op) ||
               std::holds_alternative<graph::Transpose>(maker.op)) {
      views.push_back(maker.op);
    } else {
      return std::nullopt;
    }
    id = maker.inputs.front();
  }
  const bool only_reshapes = std::ranges::all_of(
      views, [](const graph::Op& op) { return std::holds_alternative<graph::Reshape>(op); });
  const bool same = assembly.type(id) == assembly.type(node.inputs.front());
  return only_reshapes && same ? std::optional(below) : std::nullopt;
}

/// Whether two nodes are layers of one module: of one scope, with the same units.
bool are_of_one_module(const Assembly& assembly, graph::NodeId below, graph::NodeId above) {
  const std::optional<std::string> scope = scope_from_origin(assembly.origins[index_of(above)]);
  if (!scope || scope != scope_from_origin(assembly.origins[index_of(below)])) return false;
  const Node& first = assembly.graph.nodes[index_of(below)];
  const Node& second = assembly.graph.nodes[index_of(above)];
  const auto& op = std::get<Recurrent>(second.op);
  return std::get<Recurrent>(first.op) == op && op.layers == 1 && !op.initial_state &&
         assembly.type(first.outputs[1]) == assembly.type(second.outputs[1]);
}

/// Layers of one module, the lowest first.
struct Stack {
  std::vector<graph::NodeId> layers;
  double dropout = 0.0;
};

std::vector<Stack> find_stacks(const Assembly& assembly, const graph::Readers& readers) {
  std::vector<Stack> stacks;
  std::vector<bool> is_below(assembly.graph.nodes.size(), false);
  for (std::size_t n = assembly.graph.nodes.size(); n-- > 0;) {
    if (is_below[n] || !std::holds_alternative<Recurrent>(assembly.graph.nodes[n].op)) continue;
    Stack stack{{static_cast<graph::NodeId>(n)}, 0.0};
    for (;;) {
      const graph::NodeId above = stack.layers.back();
      const auto found = layer_below(assembly, readers, assembly.graph.nodes[index_of(above)]);
      if (!found || !are_of_one_module(assembly, found->node, above)) break;
      if (stack.layers.size() > 1 && found->dropout != stack.dropout) break;
      if (stack.layers.size() == graph::most_recurrent_layers) break;
      stack.dropout = found->dropout;
      stack.layers.push_back(found->node);
      is_below[index_of(found->node)] = true;
    }
    std::ranges::reverse(stack.layers);
    if (stack.layers.size() > 1) stacks.push_back(std::move(stack));
  }
  return stacks;
}

/// How the states that the layers of a stack leave are read: not at all, or put together, as the
/// exporters do.
struct ReadStates {
  bool fits = false;
  graph::NodeId concat = -1;  ///< -1: not read
};

ReadStates states_read(const Assembly& assembly, const graph::Readers& readers, const Stack& stack,
                       std::size_t which) {
  std::vector<ValueId> states;
  int reads = 0;
  for (const graph::NodeId layer : stack.layers) {
    states.push_back(assembly.graph.nodes[index_of(layer)].outputs[which]);
    reads += readers.count[index_of(states.back())];
  }
  if (reads == 0) return {true, -1};
  const graph::NodeId reader = readers.first[index_of(states.front())];
  if (reader < 0 || index_of(reader) >= assembly.graph.nodes.size()) return {};
  const Node& node = assembly.graph.nodes[index_of(reader)];
  const auto* const concat = std::get_if<graph::Concat>(&node.op);
  const bool fits = concat != nullptr && concat->axis == 0 && node.inputs == states &&
                    reads == static_cast<int>(states.size());
  return {fits, fits ? reader : -1};
}

/// The highest layer becomes the whole stack; the others are left without a reader.
void join(Assembly& assembly, const graph::Readers& readers, const Stack& stack) {
  Graph& graph = assembly.graph;
  Node& top = graph.nodes[index_of(stack.layers.back())];
  std::vector<ReadStates> states;
  for (std::size_t i = 1; i < top.outputs.size(); ++i) {
    states.push_back(states_read(assembly, readers, stack, i));
    if (!states.back().fits) return;
  }
  std::vector<ValueId> inputs = {graph.nodes[index_of(stack.layers.front())].inputs.front()};
  for (const graph::NodeId layer : stack.layers) {
    const std::vector<ValueId>& own = graph.nodes[index_of(layer)].inputs;
    inputs.insert(inputs.end(), own.begin() + 1, own.end());
  }
  auto& op = std::get<Recurrent>(top.op);
  op.layers = static_cast<std::int64_t>(stack.layers.size());
  op.dropout = stack.dropout;
  top.inputs = std::move(inputs);
  for (std::size_t i = 0; i < states.size(); ++i) {
    ValueId& state = top.outputs[i + 1];
    if (states[i].concat >= 0) {
      // The two nodes change results; nobody reads that of the concatenation any more.
      std::swap(state, graph.nodes[index_of(states[i].concat)].outputs.front());
    } else {
      graph.value(state).type.shape[0] = op.layers * op.directions();
    }
  }
}

}  // namespace

void join_recurrent_layers(Assembly& assembly) {
  const graph::Readers readers(assembly.graph);
  for (const Stack& stack : find_stacks(assembly, readers)) join(assembly, readers, stack);
  drop_unused_nodes(assembly);
}

}  // namespace rooflab::onnx
