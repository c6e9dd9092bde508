#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// Where a network can be cut into stages: ids of nodes, in order, before which a stage may begin.
/// Not between two readers of one parameter or buffer, which both stages would have to train and
/// keep equal, and not within a side path that runs in training only.
[[nodiscard]] std::vector<NodeId> possible_cuts(const Graph& graph);

/// The nodes from `begin` to before `end` as a network of their own, verified.
///
/// Its inputs are those of the network's that it reads, then the values that earlier nodes computed
/// for it, named after the value. Its outputs are what later nodes or the network's caller need,
/// the network's own first. Parameters, buffers and constants are those that it reads. An op that
/// works in place on a value that came from outside gets a result of its own: what was sent is not
/// there to be overwritten.
///
/// Throws Error (input) when a range cannot be a stage: nothing of it is needed outside, it is not
/// between possible_cuts(), or it is empty; the message names the value or node.
[[nodiscard]] Graph stage_of(const Graph& graph, NodeId begin, NodeId end);

/// The stages between the cuts, one more than there are cuts. Throws Error (usage) for cuts that do
/// not rise or lie outside the network, and what stage_of() throws.
///
///     std::vector<Graph> stages = stages_of(g, std::array{NodeId{30}});
[[nodiscard]] std::vector<Graph> stages_of(const Graph& graph, std::span<const NodeId> cuts);

}  // namespace rooflab::graph
