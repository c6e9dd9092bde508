#pragma once

#include <cstdint>

#include "constant_tensor.hpp"
#include "rooflab/graph/shape.hpp"

namespace rooflab::onnx {

/// What a mask that is added to scores [..., L, S] hides.
enum class MaskKind : std::uint8_t {
  nothing,  ///< it is 0 everywhere: the network had no mask, or one of all ones
  causal,   ///< from each query all later keys, as many queries as keys, and nothing else
  other,
};

/// An element of -10,000 and below hides its key: exp() of it is 0 beside any other score.
[[nodiscard]] MaskKind kind_of_mask(const ConstantTensor& mask, const graph::Shape& scores);

}  // namespace rooflab::onnx
