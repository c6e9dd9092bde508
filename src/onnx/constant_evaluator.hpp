#pragma once

#include <optional>
#include <span>
#include <vector>

#include "constant_tensor.hpp"
#include "limits.hpp"
#include "rooflab/graph/op.hpp"

namespace rooflab::onnx {

/// Evaluates an op on small constants, as in a file's shape arithmetic. `results`: the inferred
/// types. nullopt for an op that is not evaluated here, or a result with more than `limit`
/// elements.
[[nodiscard]] std::optional<std::vector<ConstantTensor>> evaluate(
    const graph::Op& op, std::span<const ConstantTensor* const> operands,
    std::span<const graph::TensorType> results, std::size_t limit = max_folded_elements);

}  // namespace rooflab::onnx
