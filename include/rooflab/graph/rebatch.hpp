#pragma once

#include <cstdint>

#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// The same network for another batch size: dimension 0 of every input becomes `batch`, and the
/// attributes that hold the old batch (Reshape, Expand, Resize, Generate targets) follow. For a
/// built-in network the result equals building it with that batch.
///
/// Throws Error (usage) for batch < 1 and Error (input), naming the node, when an op of an imported
/// file fixes the batch in a way that cannot be changed.
[[nodiscard]] Graph rebatch(const Graph& graph, std::int64_t batch);

}  // namespace rooflab::graph
