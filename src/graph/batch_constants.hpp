#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch_tracker.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// State of following the batch at a node: the places of all values before it, and their types with
/// the probe as batch.
struct BatchFollowed {
  const Graph& graph;
  std::span<const std::optional<BatchPlace>> places;
  std::span<const TensorType> probed;
  std::int64_t batch = 1;
  std::int64_t probe = 1;
};

/// The constants that must have a row per sample for a node to accept another batch.
struct BatchConstants {
  std::vector<BatchConstant> found;  ///< empty: no constants make the node fit
  std::string reason;                ///< why a constant that would make it fit cannot grow
};

/// Searches the node's operands and the operands of the nodes that make them.
///
/// Shape inference proves the result: the node fits if these constants grow with the batch, and it
/// does not fit otherwise. A constant whose known rows differ between samples does not grow; nor
/// does a parameter, whose rows are trained per sample.
[[nodiscard]] BatchConstants constants_with_batch(const BatchFollowed& followed, const Node& node);

/// Data of a constant for another batch: the row of the first sample, repeated per sample.
[[nodiscard]] ConstantData rows_repeated(const ConstantData& data, const Shape& shape,
                                         std::size_t axis, std::int64_t batch);

}  // namespace rooflab::graph
