#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch_tracker.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// Where following the batch came to: the places of all values before a node, and their types with
/// the probe as batch.
struct BatchFollowed {
  const Graph& graph;
  std::span<const std::optional<BatchPlace>> places;
  std::span<const TensorType> probed;
  std::int64_t batch = 1;
  std::int64_t probe = 1;
};

/// The constants that have to hold a row for each sample, so that a node takes another batch.
struct BatchConstants {
  std::vector<BatchConstant> found;  ///< empty where no constants make the node fit
  std::string reason;                ///< why one that would make it fit cannot grow
};

/// Looks among the node's operands themselves and what the nodes that make them are made from.
///
/// It is proved by shape inference: the node fits if these constants grow with the batch, and it
/// does not fit otherwise. A constant whose known rows differ between samples does not grow; nor
/// does a parameter, which holds what training made of each sample.
[[nodiscard]] BatchConstants constants_with_batch(const BatchFollowed& followed, const Node& node);

/// What a constant holds for another batch: the first sample's row, once for each sample.
[[nodiscard]] ConstantData rows_repeated(const ConstantData& data, const Shape& shape,
                                         std::size_t axis, std::int64_t batch);

}  // namespace rooflab::graph
