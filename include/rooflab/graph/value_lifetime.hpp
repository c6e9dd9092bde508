#pragma once

#include <vector>

#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// Values that can be dropped after each node has run, so that an execution of the graph holds
/// memory exactly as long as a framework's modules do.
///
/// A result is dropped after its last reader. A module's argument lives until the module returns:
/// its caller still names it; modules are the scopes of the nodes' names. The graph's outputs are
/// never dropped, nor in training what side paths return. Nodes that do not run (`training_only` in
/// evaluation) drop nothing.
[[nodiscard]] std::vector<std::vector<ValueId>> dropped_after(const Graph& graph, bool training);

/// Results of side paths in training: those of training-only nodes without a reader, in order.
/// The network's caller holds them.
[[nodiscard]] std::vector<ValueId> side_results(const Graph& graph);

}  // namespace rooflab::graph
