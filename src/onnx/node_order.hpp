#pragma once

#include <vector>

#include "model_view.hpp"

namespace rooflab::onnx {

/// Indices of the nodes in an order in which each comes after the nodes it reads from: the file's
/// order if it already satisfies this, as ONNX requires. Throws Error (input) for a cycle and for a
/// name written twice.
[[nodiscard]] std::vector<std::size_t> execution_order(const std::vector<NodeView>& nodes,
                                                       const Source& source);

}  // namespace rooflab::onnx
