#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// Place of the batch in a tensor: extent[axis] = outer * batch * inner, samples in order. A
/// dimension that is the batch and nothing else has outer = inner = 1.
struct BatchPlace {
  std::size_t axis = 0;
  std::int64_t inner = 1;
  friend bool operator==(const BatchPlace&, const BatchPlace&) = default;
};

/// An operand of a Concat that must be repeated along `axis` for every sample: an exporter that
/// traced a batch of 1 leaves out the Expand of a class token.
struct BatchRepeat {
  NodeId node = -1;
  std::size_t operand = 0;
  std::size_t axis = 0;
};

/// A constant with a row per sample: a mask or indices that an exporter wrote for the batch that it
/// traced.
struct BatchConstant {
  ValueId value = -1;
  std::size_t axis = 0;
};

/// Parts of a graph that depend on the batch.
struct BatchTrack {
  /// For each node the place of the batch in its attributes (a Reshape's target, a Slice's end,
  /// ...); nullopt: the op does not change.
  std::vector<std::optional<BatchPlace>> of_nodes;
  std::vector<BatchRepeat> repeats;  ///< in the order of nodes
  std::vector<BatchConstant> constants;
};

/// Follows the batch through the graph. Throws Error (input) with the node at which following ends.
/// The essay is in batch_tracker.cpp.
[[nodiscard]] BatchTrack track_batch(const Graph& graph);

}  // namespace rooflab::graph
