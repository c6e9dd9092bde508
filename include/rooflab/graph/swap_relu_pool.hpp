#pragma once

#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// Every ReLU that feeds nothing but a max pooling changes places with it: the outputs stay the
/// same (max and ReLU commute), the ReLU runs on fewer elements. `swapped` says how many.
struct SwapReluPoolResult {
  Graph graph;
  int swapped = 0;
};
[[nodiscard]] SwapReluPoolResult swap_relu_pool(const Graph& graph);

}  // namespace rooflab::graph
