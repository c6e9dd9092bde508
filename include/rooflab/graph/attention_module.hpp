#pragma once

#include <vector>

#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::graph {

/// The nodes of one torch.nn.MultiheadAttention (self-attention) in a graph.
struct AttentionModule {
  std::vector<NodeId> nodes;  ///< all of them, in order
  NodeId attention = -1;      ///< the one that stands for them in reports
  ValueId x = -1;             ///< [N, S, E]
  ValueId in_weight = -1;     ///< [3E, E]
  ValueId in_bias = -1;
  ValueId out_weight = -1;  ///< [E, E]
  ValueId out_bias = -1;
  ValueId y = -1;          ///< [N, S, E]
  std::int64_t width = 0;  ///< E
  std::int64_t heads = 0;
};

/// Adds torch.nn.MultiheadAttention (batch_first, need_weights=False, query, key and value the
/// same) as PyTorch 2.x runs it in training, op by op, because its views and copies decide what
/// memory holds. x is [N, S, E], the result likewise; `heads` divides E.
[[nodiscard]] ValueId add_attention_module(GraphBuilder& b, ValueId x, std::int64_t heads);

/// Modules that PyTorch runs in evaluation, outside autocast, as one call
/// (`_native_multi_head_attention`, its "fast path") instead of node by node. A module is
/// recognised by the whole list of its nodes as add_attention_module() spells it; anything else is
/// left alone. Source: PyTorch, torch.nn.MultiheadAttention.forward.
[[nodiscard]] std::vector<AttentionModule> find_attention_modules(const Graph& graph);

}  // namespace rooflab::graph
