#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "base/format.hpp"
#include "broken_rule.hpp"
#include "op_constraints.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {
namespace {

using BrokenRules = std::vector<BrokenRule>;

void check_ids(const Graph& graph, BrokenRules& broken);
void check_producers(const Graph& graph, BrokenRules& broken);
void check_order(const Graph& graph, BrokenRules& broken);
void check_names(const Graph& graph, BrokenRules& broken);
void check_interface(const Graph& graph, BrokenRules& broken);
void check_extents(const Graph& graph, BrokenRules& broken);
void check_constants(const Graph& graph, BrokenRules& broken);
void check_arity(const Graph& graph, BrokenRules& broken);
void check_attributes(const Graph& graph, BrokenRules& broken);
void check_types(const Graph& graph, BrokenRules& broken);
void check_inplace(const Graph& graph, BrokenRules& broken);
void check_training_only(const Graph& graph, BrokenRules& broken);

struct Rule {
  void (*check)(const Graph&, BrokenRules&);
  bool is_relied_on;  ///< the rules below assume this one: when it is broken, the check ends
};

// The rules, checked in this order, each in time linear in the size of the graph.
constexpr std::array rules = {
    // Every id names an existing value or node.
    Rule{check_ids, true},
    // A result is written by exactly one node, its producer; nothing else is written.
    Rule{check_producers, true},
    // A node reads and holds only what comes before it.
    Rule{check_order, true},
    // Names of values are unique and not empty; so are those of nodes.
    Rule{check_names, false},
    // The graph lists each value of kind input once and nothing else; it has an output.
    Rule{check_interface, false},
    // Extents are not negative; no tensor exceeds 64 bits of bytes.
    Rule{check_extents, true},
    // Only constants hold data: one element of the right kind for each that the type has.
    Rule{check_constants, false},
    // Each op has as many operands and results as its struct documents.
    Rule{check_arity, true},
    // Attributes make sense by themselves and for the operands' shapes.
    Rule{check_attributes, true},
    // The stored types are the inferred ones. An Opaque's are its own.
    Rule{check_types, false},
    // An op in place overwrites a result whose memory is not read later: not an input, parameter,
    // buffer or constant, not an output of the graph, not under a view that is still read.
    Rule{check_inplace, false},
    // What runs in training only feeds nothing that always runs, and is not an output.
    Rule{check_training_only, false},
};

constexpr NodeId end_of_graph = std::numeric_limits<NodeId>::max();

NodeId node_count(const Graph& graph) { return static_cast<NodeId>(graph.nodes.size()); }
ValueId value_count(const Graph& graph) { return static_cast<ValueId>(graph.values.size()); }

void report_node(const Graph& graph, BrokenRules& broken, NodeId id, const std::string& what) {
  broken.push_back({format("node '{}': {}", graph.nodes[index_of(id)].name, what), id, -1});
}

void report_value(const Graph& graph, BrokenRules& broken, ValueId id, const std::string& what) {
  broken.push_back({format("value '{}': {}", graph.value(id).name, what), -1, id});
}

void check_ids(const Graph& graph, BrokenRules& broken) {
  const auto is_value = [&](ValueId id) { return id >= 0 && id < value_count(graph); };
  for (NodeId i = 0; i < node_count(graph); ++i) {
    const Node& node = graph.nodes[index_of(i)];
    for (const ValueId id : node.inputs) {
      if (!is_value(id))
        report_node(graph, broken, i, format("reads value {}, which does not exist", id));
    }
    for (const ValueId id : node.outputs) {
      if (!is_value(id))
        report_node(graph, broken, i, format("writes value {}, which does not exist", id));
    }
    for (const ValueId id : node.holds) {
      if (!is_value(id))
        report_node(graph, broken, i, format("holds value {}, which does not exist", id));
    }
  }
  for (const ValueId id : graph.inputs) {
    if (!is_value(id)) broken.push_back({format("the graph's input {} is not a value", id)});
  }
  for (const ValueId id : graph.outputs) {
    if (!is_value(id)) broken.push_back({format("the graph's output {} is not a value", id)});
  }
  for (ValueId id = 0; id < value_count(graph); ++id) {
    const Value& value = graph.value(id);
    const bool is_result = value.kind == ValueKind::result;
    if (is_result && (value.producer < 0 || value.producer >= node_count(graph))) {
      report_value(graph, broken, id, format("a result without a node ({})", value.producer));
    }
    if (!is_result && value.producer != -1) {
      report_value(graph, broken, id, "has a producer but is not a result");
    }
  }
}

void check_producers(const Graph& graph, BrokenRules& broken) {
  std::vector<NodeId> writer(graph.values.size(), -1);
  for (NodeId i = 0; i < node_count(graph); ++i) {
    for (const ValueId id : graph.nodes[index_of(i)].outputs) {
      const Value& value = graph.value(id);
      if (value.kind != ValueKind::result) {
        report_node(graph, broken, i, format("writes '{}', which is not a result", value.name));
      } else if (writer[index_of(id)] != -1) {
        report_node(graph, broken, i, format("writes '{}', which is written already", value.name));
      } else if (value.producer != i) {
        report_node(graph, broken, i,
                    format("writes '{}', whose producer is '{}'", value.name,
                           graph.nodes[index_of(value.producer)].name));
      }
      writer[index_of(id)] = i;
    }
  }
  for (ValueId id = 0; id < value_count(graph); ++id) {
    if (graph.value(id).kind == ValueKind::result && writer[index_of(id)] == -1) {
      report_value(graph, broken, id, "a result that no node writes");
    }
  }
}

void check_order(const Graph& graph, BrokenRules& broken) {
  for (NodeId i = 0; i < node_count(graph); ++i) {
    for (const ValueId id : graph.nodes[index_of(i)].inputs) {
      if (graph.value(id).producer < i) continue;
      report_node(graph, broken, i,
                  format("reads '{}' before it is written", graph.value(id).name));
    }
    for (const ValueId id : graph.nodes[index_of(i)].holds) {
      if (graph.value(id).producer < i) continue;
      report_node(graph, broken, i,
                  format("holds '{}' before it is written", graph.value(id).name));
    }
  }
}

void check_names(const Graph& graph, BrokenRules& broken) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(std::max(graph.values.size(), graph.nodes.size()));
  for (ValueId id = 0; id < value_count(graph); ++id) {
    const std::string& name = graph.value(id).name;
    if (name.empty())
      broken.push_back({format("value {} has no name", id), -1, id});
    else if (!seen.insert(name).second) {
      report_value(graph, broken, id, "the name is taken by another value");
    }
  }
  seen.clear();
  for (NodeId i = 0; i < node_count(graph); ++i) {
    const std::string& name = graph.nodes[index_of(i)].name;
    if (name.empty())
      broken.push_back({format("node {} has no name", i), i, -1});
    else if (!seen.insert(name).second) {
      report_node(graph, broken, i, "the name is taken by another node");
    }
  }
}

void check_interface(const Graph& graph, BrokenRules& broken) {
  std::vector<int> listed(graph.values.size(), 0);
  for (const ValueId id : graph.inputs) ++listed[index_of(id)];
  for (ValueId id = 0; id < value_count(graph); ++id) {
    const bool is_input = graph.value(id).kind == ValueKind::input;
    const int times = listed[index_of(id)];
    if (is_input && times == 0) report_value(graph, broken, id, "an input that is not listed");
    if (!is_input && times > 0) report_value(graph, broken, id, "listed as input but is not one");
    if (times > 1) report_value(graph, broken, id, "listed as input more than once");
  }
  if (graph.outputs.empty()) broken.push_back({"the graph has no output"});
}

void check_extents(const Graph& graph, BrokenRules& broken) {
  for (ValueId id = 0; id < value_count(graph); ++id) {
    const TensorType& type = graph.type(id);
    if (std::ranges::any_of(type.shape.dims(), [](std::int64_t dim) { return dim < 0; })) {
      report_value(graph, broken, id, format("a negative extent in {}", type.shape.to_string()));
      continue;
    }
    std::int64_t bytes = size_of(type.dtype);
    for (const std::int64_t dim : type.shape.dims()) {
      if (__builtin_mul_overflow(bytes, dim, &bytes)) {
        report_value(graph, broken, id,
                     format("{} exceeds the 64-bit range", type.shape.to_string()));
        broken.back().is_range = true;
        break;
      }
    }
  }
}

void check_constants(const Graph& graph, BrokenRules& broken) {
  for (ValueId id = 0; id < value_count(graph); ++id) {
    const Value& value = graph.value(id);
    if (value.data == nullptr) continue;
    const ConstantData& data = *value.data;
    const bool floats = is_floating(value.type.dtype);
    const std::size_t held = floats ? data.numbers.size() : data.integers.size();
    const std::size_t foreign = floats ? data.integers.size() : data.numbers.size();
    if (value.kind != ValueKind::constant) {
      report_value(graph, broken, id, "holds data but is not a constant");
    } else if (held != static_cast<std::size_t>(value.type.shape.elements()) || foreign != 0) {
      report_value(graph, broken, id,
                   format("{} elements of data for {} {}", held + foreign,
                          name_of(value.type.dtype), value.type.shape.to_string()));
    }
  }
}

void check_arity(const Graph& graph, BrokenRules& broken) {
  for (NodeId i = 0; i < node_count(graph); ++i) {
    const Node& node = graph.nodes[index_of(i)];
    const Arity arity = arity_of(node.op);
    if (node.inputs.size() < arity.least_inputs || node.inputs.size() > arity.most_inputs) {
      report_node(graph, broken, i,
                  format("{} does not take {} operands", name_of(node.op), node.inputs.size()));
    }
    if (node.outputs.size() != arity.outputs) {
      report_node(graph, broken, i,
                  format("{} has {} results, not {}", name_of(node.op), arity.outputs,
                         node.outputs.size()));
    }
  }
}

void check_attributes(const Graph& graph, BrokenRules& broken) {
  std::vector<const Shape*> shapes;
  for (NodeId i = 0; i < node_count(graph); ++i) {
    const Node& node = graph.nodes[index_of(i)];
    shapes.clear();
    for (const ValueId id : node.inputs) shapes.push_back(&graph.type(id).shape);
    if (const std::string_view fault = attribute_fault(node.op, shapes); !fault.empty()) {
      report_node(graph, broken, i, std::string(fault));
    }
  }
}

void check_types(const Graph& graph, BrokenRules& broken) {
  std::vector<TensorType> operands;  // kept between nodes: assigning reuses the shapes' memory
  for (NodeId i = 0; i < node_count(graph); ++i) {
    const Node& node = graph.nodes[index_of(i)];
    if (std::holds_alternative<Opaque>(node.op)) continue;
    operands.resize(std::max(operands.size(), node.inputs.size()));
    for (std::size_t k = 0; k < node.inputs.size(); ++k) operands[k] = graph.type(node.inputs[k]);
    try {
      const std::vector<TensorType> inferred =
          infer_types(node.op, std::span(operands).first(node.inputs.size()));
      for (std::size_t k = 0; k < inferred.size(); ++k) {
        const TensorType& stored = graph.type(node.outputs[k]);
        if (stored == inferred[k]) continue;
        report_node(
            graph, broken, i,
            format("the result is {} {}, stored is {} {}", name_of(inferred[k].dtype),
                   inferred[k].shape.to_string(), name_of(stored.dtype), stored.shape.to_string()));
      }
    } catch (const Error& error) {
      report_node(graph, broken, i, error.what());
    }
  }
}

void check_inplace(const Graph& graph, BrokenRules& broken) {
  std::vector<NodeId> last_read(graph.values.size(), -1);
  for (NodeId i = 0; i < node_count(graph); ++i) {
    for (const ValueId id : graph.nodes[index_of(i)].inputs) last_read[index_of(id)] = i;
  }
  for (const ValueId id : graph.outputs) last_read[index_of(id)] = end_of_graph;

  // Values that may share memory have one owner, the first of them; for an owner we keep the last
  // read of any value in its memory so far.
  std::vector<ValueId> owner(graph.values.size());
  std::iota(owner.begin(), owner.end(), 0);
  std::vector<NodeId> memory_last_read = last_read;
  for (NodeId i = 0; i < node_count(graph); ++i) {
    const Node& node = graph.nodes[index_of(i)];
    const bool in_place = writes_in_place(node.op);
    if (!in_place && !may_share_memory(node.op)) continue;
    const ValueId memory = owner[index_of(node.inputs.front())];
    if (in_place) {
      const std::string& target = graph.value(node.inputs.front()).name;
      if (graph.value(memory).kind != ValueKind::result) {
        report_node(graph, broken, i, format("in place on '{}', which is not a result", target));
      } else if (memory_last_read[index_of(memory)] > i) {
        report_node(graph, broken, i, format("in place on '{}', which is read later", target));
      }
    }
    for (const ValueId id : node.outputs) {
      owner[index_of(id)] = memory;
      memory_last_read[index_of(memory)] =
          std::max(memory_last_read[index_of(memory)], last_read[index_of(id)]);
    }
  }
}

void check_training_only(const Graph& graph, BrokenRules& broken) {
  const auto is_side_result = [&](ValueId id) {
    const NodeId producer = graph.value(id).producer;
    return producer >= 0 && graph.nodes[index_of(producer)].training_only;
  };
  for (NodeId i = 0; i < node_count(graph); ++i) {
    const Node& node = graph.nodes[index_of(i)];
    if (node.training_only) continue;
    for (const ValueId id : node.inputs) {
      if (is_side_result(id)) {
        report_node(graph, broken, i,
                    format("always runs but reads '{}', which exists in training only",
                           graph.value(id).name));
      }
    }
  }
  for (const ValueId id : graph.outputs) {
    if (is_side_result(id)) {
      report_value(graph, broken, id, "an output that exists in training only");
    }
  }
}

}  // namespace

std::vector<BrokenRule> find_broken_rules(const Graph& graph) {
  BrokenRules broken;
  for (const Rule& rule : rules) {
    const std::size_t before = broken.size();
    rule.check(graph, broken);
    if (rule.is_relied_on && broken.size() > before) break;
  }
  return broken;
}

std::vector<std::string> verify(const Graph& graph) {
  std::vector<std::string> sentences;
  for (BrokenRule& each : find_broken_rules(graph)) {
    sentences.push_back(std::move(each.sentence));
  }
  return sentences;
}

void require_sound(const Graph& graph, const std::string& context) {
  const std::vector<BrokenRule> broken = find_broken_rules(graph);
  if (broken.empty()) return;
  const bool is_range = std::ranges::all_of(broken, &BrokenRule::is_range);
  constexpr std::size_t shown = 3;
  std::vector<std::string> sentences;
  for (const BrokenRule& each : std::span(broken).first(std::min(shown, broken.size()))) {
    sentences.push_back(each.sentence);
  }
  std::string message = format("{}: {}", context, join(sentences, "; "));
  if (broken.size() > shown) message += format("; and {} more", broken.size() - shown);
  throw Error(is_range ? ErrorKind::range : ErrorKind::input, message);
}

}  // namespace rooflab::graph
