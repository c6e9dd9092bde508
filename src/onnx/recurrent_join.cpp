#include "recurrent_join.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/readers.hpp"
#include "graph_cleanup.hpp"
#include "names.hpp"

namespace rooflab::onnx {
namespace {

using graph::index_of;
using graph::Node;
using graph::Recurrent;
using graph::ValueId;

/// The layer below another one, and the dropout between them.
struct LayerBelow {
  const Node* node = nullptr;
  const Origin* origin = nullptr;
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
      below.node = &maker;
      below.origin = assembly.origins[index_of(producer)];
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

bool states_are_read(const graph::Readers& readers, const Node& node) {
  return std::any_of(node.outputs.begin() + 1, node.outputs.end(),
                     [&readers](ValueId id) { return readers.count[index_of(id)] > 0; });
}

/// The op that runs both; nullopt: they are no layers of one module.
std::optional<Recurrent> joined(const Recurrent& below, const Recurrent& above, double dropout) {
  Recurrent one = below;
  one.layers = above.layers;
  one.dropout = above.dropout;
  const bool drops_alike = (below.layers == 1 || below.dropout == dropout) &&
                           (above.layers == 1 || above.dropout == dropout);
  if (one != above || above.initial_state || !drops_alike) return std::nullopt;
  one.layers = below.layers + above.layers;
  one.dropout = dropout;
  return one.layers > graph::most_recurrent_layers ? std::nullopt : std::optional(one);
}

}  // namespace

void join_recurrent_layers(Assembly& assembly) {
  const graph::Readers readers(assembly.graph);
  for (std::size_t n = 0; n < assembly.graph.nodes.size(); ++n) {
    Node& node = assembly.graph.nodes[n];
    const auto* const above = std::get_if<Recurrent>(&node.op);
    if (above == nullptr || states_are_read(readers, node)) continue;
    const std::optional<LayerBelow> found = layer_below(assembly, readers, node);
    if (!found || states_are_read(readers, *found->node)) continue;
    const std::optional<std::string> scope = scope_from_origin(assembly.origins[n]);
    if (!scope || scope != scope_from_origin(found->origin)) continue;
    const auto& below = std::get<Recurrent>(found->node->op);
    const std::optional<Recurrent> one = joined(below, *above, found->dropout);
    // Its second layer reads what the first gives: as many units.
    if (!one || assembly.type(node.outputs[1]).shape.from_end(1) !=
                    assembly.type(found->node->outputs[1]).shape.from_end(1)) {
      continue;
    }
    std::vector<ValueId> inputs = found->node->inputs;
    inputs.insert(inputs.end(), node.inputs.begin() + 1, node.inputs.end());
    node.op = *one;
    node.inputs = std::move(inputs);
    for (std::size_t i = 1; i < node.outputs.size(); ++i) {
      graph::Shape& state = assembly.graph.value(node.outputs[i]).type.shape;
      state[0] = one->layers * one->directions();
    }
  }
  drop_unused_nodes(assembly);
}

}  // namespace rooflab::onnx
