#include "native_attention.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace rooflab::torch_worker {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;

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
bool match(const Graph& graph, std::size_t first, NativeAttention& module) {
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
  if (!std::holds_alternative<graph::Linear>(in.op) || in.inputs.size() != 3 ||
      !std::holds_alternative<graph::Linear>(out.op) || out.inputs.size() != 3 ||
      !std::holds_alternative<graph::Attention>(attention.op) || attention.inputs.size() != 3) {
    return false;
  }
  const graph::Shape& heads_apart = graph.type(attention.inputs[0]).shape;
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

}  // namespace

std::vector<NativeAttention> find_native_attention(const Graph& graph) {
  std::vector<NativeAttention> modules;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    NativeAttention module;
    if (!match(graph, i, module)) continue;
    i += module_nodes.size();
    modules.push_back(std::move(module));
  }
  return modules;
}

}  // namespace rooflab::torch_worker
