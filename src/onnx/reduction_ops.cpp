// Reductions, cumulative sums and selections along an axis.
//
// Axes are an attribute in older operator sets and an operand in newer ones; none means all, or,
// with noop_with_empty_axes, that nothing is reduced. Source: ONNX operators ReduceSum-13,
// ArgMax-13, CumSum-14, TopK-11.

#include <algorithm>

#include "op_table.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/function_facts.hpp"

namespace rooflab::onnx {
namespace {

using graph::ReduceFunction;
using graph::ValueId;

template <ReduceFunction function>
void import_reduce(NodeImport& node) {
  const std::size_t rank = node.shape(0).rank();
  const std::vector<std::int64_t> given =
      node.integers_of("axes", 1).value_or(std::vector<std::int64_t>{});
  if (given.empty() && node.attributes.integer("noop_with_empty_axes", 0) != 0) {
    return node.set_result(0, node.operand(0));
  }
  std::vector<std::int64_t> axes;
  for (const std::int64_t axis : given) {
    axes.push_back(static_cast<std::int64_t>(node.axis(axis, rank)));
  }
  for (std::size_t axis = 0; given.empty() && axis < rank; ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end()) node.fail("an axis is reduced twice");
  if (axes.empty()) return node.set_result(0, node.operand(0));
  const bool keep = node.attributes.integer("keepdims", 1) != 0;
  node.set_result(0, node.emit(graph::Reduce{function, std::move(axes), keep}, {node.operand(0)}));
}

template <ReduceFunction function>
void import_argument(NodeImport& node) {
  const std::size_t axis = node.axis(node.attributes.integer("axis", 0), node.shape(0).rank());
  const bool keep = node.attributes.integer("keepdims", 1) != 0;
  if (node.attributes.integer("select_last_index", 0) != 0) {
    node.note_values("of the last of equal elements finds the first");
  }
  const graph::Reduce op{function, {static_cast<std::int64_t>(axis)}, keep};
  node.set_result(0, node.emit(op, {node.operand(0)}));
}

void import_cumulative_sum(NodeImport& node) {
  const std::vector<std::int64_t> given = node.integers(1, "axis");
  if (given.size() != 1) node.fail("a cumulative sum runs along one axis");
  const auto axis = static_cast<std::int64_t>(node.axis(given[0], node.shape(0).rank()));
  const bool plain =
      node.attributes.integer("exclusive", 0) == 0 && node.attributes.integer("reverse", 0) == 0;
  // Only the plain form is evaluated on constants: the others must not look like it.
  const ValueId x = plain ? node.operand(0) : node.constant_of_type(node.type(0));
  if (!plain) node.note_values("that is exclusive or reversed runs as a plain one");
  const bool runtime = !node.facts_of(node.operand(0)).constant;
  node.set_result(0, node.emit(graph::CumulativeSum{axis}, {runtime ? node.operand(0) : x}));
}

void import_top_k(NodeImport& node) {
  std::int64_t k = node.attributes.integer("k", 0);
  if (!node.attributes.has("k")) {
    const std::vector<std::int64_t> given = node.integers(1, "number k");
    if (given.size() != 1) node.fail("the number of elements to take is not one number");
    k = given[0];
  }
  const auto axis = static_cast<std::int64_t>(
      node.axis(node.attributes.integer("axis", -1), node.shape(0).rank()));
  if (node.attributes.integer("largest", 1) == 0) node.note_values("takes the largest elements");
  const std::vector<ValueId> results = node.emit_all(graph::TopK{k, axis}, {node.operand(0)});
  node.set_result(0, results[0]);
  node.set_result(1, results[1]);
}

}  // namespace

void add_reduction_rules(RuleTable& table) {
  add_function_rules<graph::function_rows::reduce>(
      table, []<ReduceFunction function>() -> Rule { return import_reduce<function>; });
  using enum ReduceFunction;
  table["ArgMax"] = import_argument<arg_max>;
  table["ArgMin"] = import_argument<arg_min>;
  table["CumSum"] = import_cumulative_sum;
  table["TopK"] = import_top_k;
}

}  // namespace rooflab::onnx
