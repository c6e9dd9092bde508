#pragma once

#include <vector>

#include "rooflab/graph/graph.hpp"

namespace rooflab::torch_worker {

/// The nodes of one torch.nn.MultiheadAttention (self-attention) in a graph.
struct NativeAttention {
  std::vector<graph::NodeId> nodes;  ///< all of them, in order
  graph::NodeId attention = -1;      ///< the one that stands for them in reports
  graph::ValueId x = -1;             ///< [N, S, E]
  graph::ValueId in_weight = -1;     ///< [3E, E]
  graph::ValueId in_bias = -1;
  graph::ValueId out_weight = -1;  ///< [E, E]
  graph::ValueId out_bias = -1;
  graph::ValueId y = -1;   ///< [N, S, E]
  std::int64_t width = 0;  ///< E
  std::int64_t heads = 0;
};

/// Modules that PyTorch runs in evaluation, outside autocast, as one call
/// (`_native_multi_head_attention`, its "fast path") instead of node by node. A module is
/// recognised by the whole list of its nodes as the built-in networks spell it; anything else is
/// left alone. Source: PyTorch, torch.nn.MultiheadAttention.forward.
[[nodiscard]] std::vector<NativeAttention> find_native_attention(const graph::Graph& graph);

}  // namespace rooflab::torch_worker
