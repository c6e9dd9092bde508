// The input is turned to sequence-first [S, N, E], one linear layer gives q, k and v side by side,
// `contiguous` copies them into three planes, heads are split off by views, the attention itself is
// one fused op, and another `contiguous` brings its result back to sequence-first order. `select`
// is one view in the framework and two nodes here (slice, then squeeze).

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::graph {
namespace {

/// What the module's nodes are called, in order; a repeated name has a number behind it.
// clang-format off
constexpr std::array<std::string_view, 28> module_nodes = {
    "transpose", "in_proj", "unflatten", "unsqueeze", "transpose", "squeeze", "contiguous",
    "select", "squeeze", "select", "squeeze", "select", "squeeze", "view", "transpose", "view",
    "transpose", "view", "transpose", "view", "view", "view", "scaled_dot_product_attention",
    "permute", "contiguous", "view", "out_proj", "view"};
// clang-format on
constexpr std::string_view last_node = "transpose";

std::string_view scope_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

/// `select_1` is a `select`.
bool is_called(std::string_view node, std::string_view leaf) {
  std::string_view name = node.substr(node.rfind('.') + 1);
  if (!name.starts_with(leaf)) return false;
  name.remove_prefix(leaf.size());
  if (name.empty()) return true;
  if (name.front() != '_' || name.size() == 1) return false;
  return std::ranges::all_of(name.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

/// The module whose first node is `first`, if it is one.
bool match(const Graph& graph, std::size_t first, AttentionModule& module) {
  if (first + module_nodes.size() >= graph.nodes.size()) return false;
  const std::string_view scope = scope_of(graph.nodes[first].name);
  for (std::size_t i = 0; i <= module_nodes.size(); ++i) {
    const Node& node = graph.nodes[first + i];
    const std::string_view leaf = i < module_nodes.size() ? module_nodes.at(i) : last_node;
    if (scope_of(node.name) != scope || !is_called(node.name, leaf)) return false;
    module.nodes.push_back(static_cast<NodeId>(first + i));
  }
  const Node& in = graph.nodes[first + 1];
  const Node& attention = graph.nodes[first + 22];
  const Node& out = graph.nodes[first + 26];
  if (!std::holds_alternative<Linear>(in.op) || in.inputs.size() != 3 ||
      !std::holds_alternative<Linear>(out.op) || out.inputs.size() != 3 ||
      !std::holds_alternative<Attention>(attention.op) || attention.inputs.size() != 3) {
    return false;
  }
  const Shape& heads_apart = graph.type(attention.inputs[0]).shape;
  module.attention = static_cast<NodeId>(first + 22);
  module.x = graph.nodes[first].inputs[0];
  module.in_weight = in.inputs[1];
  module.in_bias = in.inputs[2];
  module.out_weight = out.inputs[1];
  module.out_bias = out.inputs[2];
  module.y = graph.nodes[first + module_nodes.size()].outputs[0];
  module.width = graph.type(out.inputs[1]).shape[0];
  module.heads = heads_apart.rank() == 4 ? heads_apart[1] : 0;
  // The framework's own conditions.
  return module.heads > 0 && module.heads % 2 == 0 &&
         graph.type(module.x).shape == graph.type(module.y).shape;
}

/// Entry `index` of an axis, which vanishes; `squeezed` is the resulting shape.
ValueId select(GraphBuilder& b, ValueId x, std::int64_t axis, std::int64_t index,
               std::vector<std::int64_t> squeezed) {
  x = b.add(Slice{{axis}, {index}, {index + 1}, {1}}, {x}, "select");
  return b.reshape(x, std::move(squeezed), "squeeze");
}

}  // namespace

// Targets leave the extent that holds the batch as -1, so that they fit every batch.
ValueId add_attention_module(GraphBuilder& b, ValueId x, std::int64_t heads) {
  const std::int64_t sequence = b.shape(x)[1];
  const std::int64_t width = b.shape(x)[2];
  const std::int64_t head_width = width / heads;
  const ValueId in_weight = b.parameter("in_proj_weight", {3 * width, width});
  const ValueId in_bias = b.parameter("in_proj_bias", {3 * width});

  x = b.transpose(x, {1, 0, 2}, "transpose");
  x = b.add(Linear{}, {x, in_weight, in_bias}, "in_proj");
  x = b.reshape(x, {sequence, -1, 3, width}, "unflatten");
  x = b.reshape(x, {1, sequence, -1, 3, width}, "unsqueeze");
  x = b.transpose(x, {3, 1, 2, 0, 4}, "transpose");
  x = b.reshape(x, {3, sequence, -1, width}, "squeeze");
  x = b.add(Contiguous{}, {x}, "contiguous");
  std::vector<ValueId> qkv;
  for (std::int64_t i = 0; i < 3; ++i) qkv.push_back(select(b, x, 0, i, {sequence, -1, width}));
  for (ValueId& part : qkv) {
    part = b.reshape(part, {sequence, -1, head_width}, "view");
    part = b.transpose(part, {1, 0, 2}, "transpose");
  }
  for (ValueId& part : qkv) {
    part = b.reshape(part, {-1, heads, sequence, head_width}, "view");
  }
  x = b.add(Attention{}, {qkv[0], qkv[1], qkv[2]}, "scaled_dot_product_attention");
  x = b.transpose(x, {2, 0, 1, 3}, "permute");
  x = b.add(Contiguous{}, {x}, "contiguous");
  x = b.reshape(x, {-1, width}, "view");
  x = b.linear(x, "out_proj", width);
  x = b.reshape(x, {sequence, -1, width}, "view");
  return b.transpose(x, {1, 0, 2}, "transpose");
}

std::vector<AttentionModule> find_attention_modules(const Graph& graph) {
  std::vector<AttentionModule> modules;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    AttentionModule module;
    if (!match(graph, i, module)) continue;
    i += module_nodes.size();
    modules.push_back(std::move(module));
  }
  return modules;
}

}  // namespace rooflab::graph
