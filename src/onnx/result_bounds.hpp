#pragma once

#include <vector>

#include "node_import.hpp"

namespace rooflab::onnx {

/// Largest possible types of a node's results whose extents depend on the data: for detectors and
/// selections by a mask. Empty: another operator, or an operand that bounds it is not known.
[[nodiscard]] std::vector<graph::TensorType> largest_results(const NodeImport& node);

}  // namespace rooflab::onnx
