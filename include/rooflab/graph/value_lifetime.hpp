#pragma once

#include <vector>

#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// For every node the values that nobody names any more once it has run, so that whoever executes
/// the graph holds memory as long as a framework's modules do and no longer.
///
/// A result is dropped after its last reader. A module's argument lives until the module returns:
/// its caller still names it; modules are the scopes of the nodes' names. The graph's outputs are
/// never dropped, nor in training what side paths return. Nodes that do not run (`training_only` in
/// evaluation) drop nothing.
[[nodiscard]] std::vector<std::vector<ValueId>> dropped_after(const Graph& graph, bool training);

/// What side paths return in training: results of training-only nodes that nobody reads, in order.
/// The network's caller holds them.
[[nodiscard]] std::vector<ValueId> side_results(const Graph& graph);

}  // namespace rooflab::graph
