#pragma once

#include <vector>

#include "node_import.hpp"

namespace rooflab::onnx {

/// The largest types that the results of a node can have whose extents depend on the data: those of
/// detectors and of selections by a mask. Empty: the operator is not one of them, or an operand that
/// bounds it is not known.
[[nodiscard]] std::vector<graph::TensorType> largest_results(const NodeImport& node);

}  // namespace rooflab::onnx
