// The precision that a network's types say (docs/formats/onnx.md, "Precision").
//
// What counts is what is stored and multiplied in bulk: floating values of more than one element,
// parameters of 8 bits, operands of matrix ops. Indices, masks and single numbers (a scale, an
// epsilon) do not count. So a precision of one type is what with_precision() would make of the
// network, which then changes nothing in it.

#include <algorithm>
#include <set>

#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/op_facts.hpp"

namespace rooflab::graph {
namespace {

bool is_matrix_op(const Op& op) { return family_of(op) == Family::matrix; }

/// Types of what is stored and multiplied in bulk.
std::set<DType> bulk_types(const Graph& graph) {
  std::set<DType> types;
  for (const Value& value : graph.values) {
    const bool counts = is_floating(value.type.dtype) || value.kind == ValueKind::parameter;
    if (counts && value.type.shape.elements() > 1) types.insert(value.type.dtype);
  }
  for (const Node& node : graph.nodes) {
    if (!is_matrix_op(node.op)) continue;
    for (const ValueId id : node.inputs) types.insert(graph.type(id).dtype);
  }
  std::erase_if(types, [](DType type) { return !precision_of_type(type); });
  return types;
}

bool multiplies(const Graph& graph, DType type) {
  return std::ranges::any_of(graph.nodes, [&](const Node& node) {
    return is_matrix_op(node.op) && std::ranges::any_of(node.inputs, [&](ValueId id) {
             return graph.type(id).dtype == type;
           });
  });
}

/// Whether the rewrite to that precision leaves a network other than it was.
bool changes(const Graph& graph, Precision asked) {
  const Graph rewritten = with_precision(graph, asked);
  if (rewritten.nodes.size() != graph.nodes.size()) return true;  // casts
  return !std::ranges::equal(rewritten.values, graph.values, {}, &Value::type, &Value::type);
}

}  // namespace

Precision precision_of(const Graph& graph) {
  std::set<Precision> all;
  for (const DType type : bulk_types(graph)) all.insert(*precision_of_type(type));
  return all.size() == 1 ? *all.begin() : Precision::mixed;
}

Precision precision_in(const Graph& graph, Precision asked) {
  const Precision own = precision_of(graph);
  switch (asked) {
    case Precision::fp32:
    case Precision::fp8:
    case Precision::int8:
    case Precision::mixed:
      return own;
    case Precision::tf32:
      return own == Precision::fp32 || multiplies(graph, DType::f32) ? asked : own;
    case Precision::fp64:
    case Precision::fp16:
    case Precision::bf16:
      return own == Precision::fp32 ? asked : precision_of(with_precision(graph, asked));
    case Precision::amp:
    case Precision::amp_fp16:
    case Precision::amp_bf16:
      break;
  }
  return own == Precision::fp32 || changes(graph, asked) ? asked : own;
}

bool takes_precision(const Graph& graph, Precision asked) {
  return precision_in(graph, asked) == asked || changes(graph, asked);
}

}  // namespace rooflab::graph
