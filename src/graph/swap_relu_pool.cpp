// Max pooling picks one element of a window; ReLU is monotone. So relu(max(window)) equals
// max(relu(window)), bit for bit, and the pooling may go first: the ReLU then runs on the pooled
// tensor, smaller by the pooling's stride in each dimension. Padding counts as minus infinity in
// max pooling, so the two commute as long as every window holds at least one real element.
//
// The exchange is made by swapping the names and ops of the two nodes and of their results: ids,
// operand lists and the order of nodes stay. An in-place ReLU stays sound, because afterwards it is
// the only reader of the pooling's result.

#include <utility>

#include "base/assert.hpp"
#include "rooflab/graph/graph.hpp"
#include "value_readers.hpp"

namespace rooflab::graph {
namespace {

bool is_relu(const Op& op) {
  const Unary* unary = std::get_if<Unary>(&op);
  return unary != nullptr && unary->function == UnaryFunction::relu;
}

bool is_max_pool(const Op& op) {
  if (const auto* adaptive = std::get_if<AdaptivePool>(&op)) {
    return adaptive->kind == PoolKind::max;
  }
  const Pool* pool = std::get_if<Pool>(&op);
  if (pool == nullptr || pool->kind != PoolKind::max) return false;
  for (std::size_t i = 0; i < pool->kernel.size(); ++i) {
    const std::int64_t reach = pool->dilation[i] * (pool->kernel[i] - 1) + 1;
    if (pool->padding_begin[i] >= reach || pool->padding_end[i] >= reach) return false;
  }
  return true;
}

}  // namespace

SwapReluPoolResult swap_relu_pool(const Graph& graph) {
  SwapReluPoolResult result{graph, 0};
  const Readers readers(graph);
  // In order, so that a ReLU before two poolings in a row moves behind both.
  for (Node& first : result.graph.nodes) {
    if (!is_relu(first.op)) continue;
    const ValueId between = first.outputs.front();
    if (readers.count[index_of(between)] != 1) continue;
    const std::size_t reader = index_of(readers.last[index_of(between)]);
    if (reader == result.graph.nodes.size()) continue;  // the network's caller
    Node& second = result.graph.nodes[reader];
    if (!is_max_pool(second.op) || second.training_only != first.training_only) continue;

    const ValueId after = second.outputs.front();
    // Not std::swap, which makes code for every pair of the closed set's ops.
    Op pool = std::move(second.op);
    second.op = std::move(first.op);
    first.op = std::move(pool);
    std::swap(first.name, second.name);
    std::swap(result.graph.value(between).name, result.graph.value(after).name);
    result.graph.value(between).type = result.graph.type(after);
    ++result.swapped;
  }
#ifndef NDEBUG
  ROOFLAB_ASSERT(!verify(graph).empty() || verify(result.graph).empty());
#endif
  return result;
}

}  // namespace rooflab::graph
