#pragma once

#include <vector>

#include "model_view.hpp"

namespace rooflab::onnx {

/// Indices of the nodes so that each comes after those it reads from: the file's order where that
/// is already so, as ONNX demands. Throws Error (input) for a cycle and for a name written twice.
[[nodiscard]] std::vector<std::size_t> execution_order(const std::vector<NodeView>& nodes,
                                                       const Source& source);

}  // namespace rooflab::onnx
