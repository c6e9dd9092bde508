#include "graph_cleanup.hpp"

#include <algorithm>

namespace rooflab::onnx {
namespace {

using graph::Graph;
using graph::index_of;
using graph::Node;
using graph::ValueId;
using graph::ValueKind;

/// Nodes that compute the same at every run without parameters give way to their results.
void fold_constants(Assembly& assembly, std::vector<bool>& alive) {
  for (std::size_t n = 0; n < assembly.graph.nodes.size(); ++n) {
    const Node& node = assembly.graph.nodes[n];
    const bool folds = std::ranges::all_of(node.outputs, [&](ValueId id) {
      return assembly.facts(id).constant && !assembly.facts(id).from_parameter;
    });
    if (!folds || node.outputs.empty()) continue;
    alive[n] = false;
    for (const ValueId id : node.outputs) {
      assembly.graph.value(id).kind = ValueKind::constant;
      assembly.graph.value(id).producer = -1;
    }
  }
}

/// The name in the file of what a value is made from.
std::string_view stored_name(const Assembly& assembly, ValueId id) {
  while (assembly.facts(id).file_name.empty()) {
    const graph::NodeId producer = assembly.graph.value(id).producer;
    if (producer < 0) return {};
    id = assembly.graph.nodes[index_of(producer)].inputs.front();
  }
  return assembly.facts(id).file_name;
}

/// Weights of recurrent layers that are made from initialisers, whose gates have another order
/// there, become parameters. One that is stored as it is but for its shape keeps its place.
void fold_recurrent_weights(Assembly& assembly, std::vector<bool>& alive) {
  Graph& graph = assembly.graph;
  std::vector<bool> is_weight(graph.values.size(), false);
  for (const Node& node : graph.nodes) {
    const auto* const op = std::get_if<graph::Recurrent>(&node.op);
    if (op == nullptr) continue;
    for (std::size_t i = op->first_weight(); i < node.inputs.size(); ++i) {
      is_weight[index_of(node.inputs[i])] = assembly.facts(node.inputs[i]).constant;
    }
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const bool folds = std::ranges::all_of(
        node.outputs, [&is_weight](ValueId id) { return is_weight[index_of(id)]; });
    const bool is_stored = std::holds_alternative<graph::Reshape>(node.op) &&
                           graph.value(node.inputs.front()).kind == ValueKind::parameter;
    if (!alive[n] || !folds || node.outputs.empty() || is_stored) continue;
    alive[n] = false;
    for (const ValueId id : node.outputs) {
      assembly.facts(id).file_name = stored_name(assembly, id);
      graph.value(id).kind = ValueKind::parameter;
      graph.value(id).producer = -1;
    }
  }
}

/// Keeps the nodes that an output depends on.
void drop_unused(const Graph& graph, std::vector<bool>& alive) {
  std::vector<bool> needed(graph.values.size(), false);
  for (const ValueId id : graph.outputs) needed[index_of(id)] = true;
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    alive[n] = alive[n] && std::ranges::any_of(node.outputs, [&needed](ValueId id) {
                 return needed[index_of(id)];
               });
    if (!alive[n]) continue;
    for (const ValueId id : node.inputs) needed[index_of(id)] = true;
  }
}

std::vector<int> count_uses(const Graph& graph, const std::vector<bool>& alive) {
  std::vector<int> uses(graph.values.size(), 0);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!alive[n]) continue;
    for (const ValueId id : graph.nodes[n].inputs) ++uses[index_of(id)];
  }
  for (const ValueId id : graph.outputs) ++uses[index_of(id)];
  return uses;
}

/// A parameter whose one use is a reshape, transpose or cast becomes what that yields.
void absorb_views(Assembly& assembly, std::vector<bool>& alive) {
  Graph& graph = assembly.graph;
  std::vector<int> uses = count_uses(graph, alive);
  std::vector<ValueId> replacement(graph.values.size());
  for (std::size_t i = 0; i < replacement.size(); ++i) replacement[i] = static_cast<ValueId>(i);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!alive[n]) continue;
    Node& node = graph.nodes[n];
    for (ValueId& id : node.inputs) id = replacement[index_of(id)];
    const bool absorbable = std::holds_alternative<graph::Reshape>(node.op) ||
                            std::holds_alternative<graph::Transpose>(node.op) ||
                            std::holds_alternative<graph::Cast>(node.op);
    if (!absorbable) continue;
    const ValueId source = node.inputs[0];
    const ValueId result = node.outputs[0];
    const bool is_output = std::ranges::find(graph.outputs, result) != graph.outputs.end();
    if (graph.value(source).kind != ValueKind::parameter || uses[index_of(source)] != 1 ||
        is_output) {
      continue;
    }
    uses[index_of(source)] = uses[index_of(result)];
    graph.value(source).type = graph.type(result);
    assembly.facts(source).absorbed.push_back(node.op);
    replacement[index_of(result)] = source;
    alive[n] = false;
  }
}

/// Turns parameters that only serve as running mean or variance into buffers.
void mark_buffers(Graph& graph, const std::vector<bool>& alive) {
  std::vector<bool> trained(graph.values.size(), false);
  std::vector<bool> statistic(graph.values.size(), false);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!alive[n]) continue;
    const Node& node = graph.nodes[n];
    const bool batch_norm = std::holds_alternative<graph::BatchNorm>(node.op);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      (batch_norm && i >= 3 ? statistic : trained)[index_of(node.inputs[i])] = true;
    }
  }
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const bool buffer = statistic[i] && !trained[i];
    if (buffer && graph.values[i].kind == ValueKind::parameter) {
      graph.values[i].kind = ValueKind::buffer;
    }
  }
}

/// Removes dead nodes and unused values, and renumbers the rest.
void compact(Assembly& assembly, const std::vector<bool>& alive) {
  Graph& graph = assembly.graph;
  std::vector<bool> used(graph.values.size(), false);
  for (const ValueId id : graph.inputs) used[index_of(id)] = true;
  for (const ValueId id : graph.outputs) used[index_of(id)] = true;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!alive[n]) continue;
    for (const ValueId id : graph.nodes[n].inputs) used[index_of(id)] = true;
    for (const ValueId id : graph.nodes[n].outputs) used[index_of(id)] = true;
  }
  Assembly kept(graph.name);
  std::vector<ValueId> renumbered(graph.values.size(), -1);
  std::vector<graph::NodeId> node_numbers(graph.nodes.size(), -1);
  graph::NodeId next = 0;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (alive[n]) node_numbers[n] = next++;
  }
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    if (!used[i]) continue;
    renumbered[i] =
        kept.adopt(std::move(graph.values[i]), std::move(assembly.facts(static_cast<ValueId>(i))));
    graph::Value& value = kept.graph.value(renumbered[i]);
    if (value.producer >= 0)
      value.producer = node_numbers[static_cast<std::size_t>(value.producer)];
  }
  const auto renumber = [&renumbered](std::vector<ValueId>& ids) {
    for (ValueId& id : ids) id = renumbered[index_of(id)];
  };
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!alive[n]) continue;
    Node node = std::move(graph.nodes[n]);
    renumber(node.inputs);
    renumber(node.outputs);
    kept.graph.nodes.push_back(std::move(node));
    kept.origins.push_back(assembly.origins[n]);
  }
  kept.graph.inputs = graph.inputs;
  kept.graph.outputs = graph.outputs;
  renumber(kept.graph.inputs);
  renumber(kept.graph.outputs);
  kept.value_notes = std::move(assembly.value_notes);
  assembly = std::move(kept);
}

}  // namespace

void drop_unused_nodes(Assembly& assembly) {
  Graph& graph = assembly.graph;
  std::vector<bool> alive(graph.nodes.size(), true);
  drop_unused(graph, alive);
  std::vector<Node> nodes;
  std::vector<const Origin*> origins;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::NodeId place = alive[n] ? static_cast<graph::NodeId>(nodes.size()) : -1;
    for (const ValueId id : graph.nodes[n].outputs) graph.value(id).producer = place;
    if (!alive[n]) continue;
    nodes.push_back(std::move(graph.nodes[n]));
    origins.push_back(assembly.origins[n]);
  }
  graph.nodes = std::move(nodes);
  assembly.origins = std::move(origins);
}

void clean_up(Assembly& assembly) {
  std::vector<bool> alive(assembly.graph.nodes.size(), true);
  fold_constants(assembly, alive);
  fold_recurrent_weights(assembly, alive);
  drop_unused(assembly.graph, alive);
  absorb_views(assembly, alive);
  mark_buffers(assembly.graph, alive);
  compact(assembly, alive);
}

void keep_indices(Assembly& assembly) {
  for (std::size_t i = 0; i < assembly.graph.values.size(); ++i) {
    const auto id = static_cast<graph::ValueId>(i);
    graph::Value& value = assembly.graph.value(id);
    if (value.kind != graph::ValueKind::constant || is_floating(value.type.dtype)) continue;
    const ConstantTensor* const known = assembly.data(id);
    if (known == nullptr || !assembly.facts(id).absorbed.empty()) continue;
    if (static_cast<std::int64_t>(known->size()) != value.type.shape.elements()) continue;
    value.data = std::make_shared<graph::ConstantData>(graph::ConstantData{known->integers, {}});
  }
}

}  // namespace rooflab::onnx
