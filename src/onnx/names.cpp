// Names of nodes as scope paths, whatever the exporter left of them.
//
// A node's module is found, in this order, from
//   1. its weight, when no other node uses it: `layer1.0.conv1.weight` belongs to `layer1.0.conv1`
//      (right also where batch normalisation was folded into a convolution),
//   2. the new exporter's metadata `pkg.torch.onnx.name_scopes` or `namespace`,
//   3. the old exporter's node names: `/layer1/layer1.0/conv1/Conv`,
//   4. the node that calls the function which this one was inlined from,
//   5. its neighbours: the module around both its operand's and its reader's, where a rewrite of
//      the new exporter lost the metadata.
// A module whose nodes are all of one kind lends them its name; otherwise, and for a module that
// has modules inside, the op's name is appended: `layer1.0.add`. Without a module the node's own
// name stays; without that it is the op's name. Repeated names get `_1`, `_2`. Parameters and
// inputs keep the names that they have in the file.

#include "names.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/format.hpp"

namespace rooflab::onnx {
namespace {

using graph::Graph;
using graph::Node;
using graph::ValueId;
using graph::ValueKind;

/// Second last entry of a Python list of strings: `['', 'layer1', 'layer1.0', 'relu']`.
std::optional<std::string> scope_from_list(std::string_view list) {
  std::vector<std::string> entries;
  std::size_t at = 0;
  while (at < list.size()) {
    const std::size_t open = list.find_first_of("'\"", at);
    if (open == std::string_view::npos) break;
    const std::size_t close = list.find(list[open], open + 1);
    if (close == std::string_view::npos) break;
    entries.emplace_back(list.substr(open + 1, close - open - 1));
    at = close + 1;
  }
  if (entries.size() < 2) return std::nullopt;
  return entries[entries.size() - 2];
}

/// `: Net/layer1: Sequential/layer1.0: Block/relu: aten.relu.default`: the second last path.
std::optional<std::string> scope_from_namespace(std::string_view text) {
  const std::vector<std::string> entries = split(text, '/');
  if (entries.size() < 2) return std::nullopt;
  const std::string& entry = entries[entries.size() - 2];
  return std::string(trim(entry.substr(0, entry.find(':'))));
}

/// `/layer1/layer1.0/conv1/Conv`: a part that repeats the one before it replaces it.
std::optional<std::string> scope_from_path(std::string_view name) {
  if (!name.starts_with('/')) return std::nullopt;
  std::vector<std::string> parts = split(name.substr(1), '/');
  parts.pop_back();
  std::string scope;
  std::string before;
  for (const std::string& part : parts) {
    const bool repeats = !before.empty() && part.starts_with(before + ".");
    if (repeats) {
      scope += part.substr(before.size());
    } else {
      scope += (scope.empty() ? "" : ".") + part;
    }
    before = part;
  }
  return scope;
}

/// The operand that is the weight of a module; nullopt for ops that have none.
std::optional<std::size_t> weight_operand(const graph::Op& op) {
  if (std::holds_alternative<graph::Gather>(op)) return 0;
  const bool has_weight =
      std::holds_alternative<graph::Conv>(op) || std::holds_alternative<graph::Linear>(op) ||
      std::holds_alternative<graph::BatchNorm>(op) ||
      std::holds_alternative<graph::LayerNorm>(op) || std::holds_alternative<graph::RmsNorm>(op) ||
      std::holds_alternative<graph::GroupNorm>(op);
  return has_weight ? std::optional<std::size_t>(1) : std::nullopt;
}

std::optional<std::string> scope_from_weight(const Assembly& assembly, const Node& node,
                                             const std::vector<int>& uses) {
  const std::optional<std::size_t> at = weight_operand(node.op);
  if (!at || *at >= node.inputs.size()) return std::nullopt;
  const ValueId weight = node.inputs[*at];
  if (assembly.graph.value(weight).kind != ValueKind::parameter) return std::nullopt;
  const std::string_view name = assembly.facts(weight).file_name;
  constexpr std::string_view suffix = ".weight";
  const bool usable = name.ends_with(suffix) && name.size() > suffix.size() &&
                      uses[static_cast<std::size_t>(weight)] == 1;
  if (!usable) return std::nullopt;
  return std::string(name.substr(0, name.size() - suffix.size()));
}

/// What two paths share, in whole parts: `a.b.c` and `a.b.d` share `a.b`.
std::string common_parent(const std::string& a, const std::string& b) {
  const std::vector<std::string> parts_a = split(a, '.');
  const std::vector<std::string> parts_b = split(b, '.');
  std::vector<std::string> shared;
  for (std::size_t i = 0; i < std::min(parts_a.size(), parts_b.size()); ++i) {
    if (parts_a[i] != parts_b[i]) break;
    shared.push_back(parts_a[i]);
  }
  return join(shared, ".");
}

/// Gives nodes without a module that of their neighbours.
void fill_gaps(const Graph& graph, std::vector<std::optional<std::string>>& scopes) {
  std::vector<std::optional<std::size_t>> first_reader(graph.values.size());
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    for (const ValueId id : graph.nodes[n].inputs) first_reader[static_cast<std::size_t>(id)] = n;
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (scopes[n] || node.inputs.empty()) continue;
    const graph::NodeId producer = graph.value(node.inputs[0]).producer;
    const auto reader = first_reader[static_cast<std::size_t>(node.outputs[0])];
    if (producer < 0 || !reader) continue;
    const std::optional<std::string>& before = scopes[static_cast<std::size_t>(producer)];
    const std::optional<std::string>& after = scopes[*reader];
    if (!before || !after) continue;
    const std::string parent = common_parent(*before, *after);
    if (!parent.empty()) scopes[n] = parent;
  }
}

class Namer {
 public:
  std::string unique(const std::string& wanted) {
    if (taken_.insert(wanted).second) return wanted;
    int& next = next_suffix_[wanted];
    for (;;) {
      std::string candidate = format("{}_{}", wanted, ++next);
      if (taken_.insert(candidate).second) return candidate;
    }
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_suffix_;
};

/// What is known of a module from all its nodes.
struct Module {
  std::string op;          ///< op of its first node
  bool one_kind = true;    ///< all its nodes are of that op
  bool has_inner = false;  ///< other modules lie inside
};

std::map<std::string, Module> find_modules(const Graph& graph,
                                           const std::vector<std::optional<std::string>>& scopes) {
  std::map<std::string, Module> modules;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!scopes[n] || scopes[n]->empty()) continue;
    const std::string op = name_of(graph.nodes[n].op);
    const auto [entry, added] = modules.emplace(*scopes[n], Module{op, true, false});
    if (!added && entry->second.op != op) entry->second.one_kind = false;
  }
  for (auto& [path, module] : modules) {
    const auto inner = modules.lower_bound(path + ".");
    module.has_inner = inner != modules.end() && inner->first.starts_with(path + ".");
  }
  return modules;
}

std::string node_name(const Assembly& assembly, std::size_t n,
                      const std::optional<std::string>& scope,
                      const std::map<std::string, Module>& modules) {
  const std::string op = name_of(assembly.graph.nodes[n].op);
  if (scope && !scope->empty()) {
    const Module& module = modules.at(*scope);
    return module.one_kind && !module.has_inner ? *scope : format("{}.{}", *scope, op);
  }
  const Origin* origin = assembly.origins[n];
  const bool own_name = !scope && origin != nullptr && !origin->node->name.empty();
  return own_name ? std::string(origin->node->name) : op;
}

}  // namespace

std::optional<std::string> scope_from_origin(const Origin* origin) {
  for (; origin != nullptr; origin = origin->call) {
    const NodeView& node = *origin->node;
    std::optional<std::string> scope = scope_from_list(node.name_scopes);
    if (!scope) scope = scope_from_namespace(node.name_space);
    if (!scope) scope = scope_from_path(node.name);
    if (scope) return scope;
  }
  return std::nullopt;
}

void assign_names(Assembly& assembly) {
  Graph& graph = assembly.graph;
  Namer value_names;
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    graph::Value& value = graph.values[i];
    const std::string_view in_file = assembly.facts(static_cast<ValueId>(i)).file_name;
    if (value.kind == ValueKind::result || in_file.empty()) continue;
    value.name = value_names.unique(std::string(in_file));
  }
  for (graph::Value& value : graph.values) {
    if (value.kind != ValueKind::result && value.name.empty()) {
      value.name = value_names.unique("constant");
    }
  }

  std::vector<int> uses(graph.values.size(), 0);
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.inputs) ++uses[static_cast<std::size_t>(id)];
  }
  std::vector<std::optional<std::string>> scopes;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    scopes.push_back(scope_from_weight(assembly, graph.nodes[n], uses));
    if (!scopes.back()) scopes.back() = scope_from_origin(assembly.origins[n]);
  }
  fill_gaps(graph, scopes);
  const std::map<std::string, Module> modules = find_modules(graph, scopes);
  Namer node_names;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    Node& node = graph.nodes[n];
    node.name = node_names.unique(node_name(assembly, n, scopes[n], modules));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const std::string wanted =
          node.outputs.size() == 1 ? node.name : format("{}:{}", node.name, i);
      graph.value(node.outputs[i]).name = value_names.unique(wanted);
    }
  }
}

}  // namespace rooflab::onnx
