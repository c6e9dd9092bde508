#pragma once

#include <cstdint>

#include "constant_tensor.hpp"
#include "rooflab/graph/shape.hpp"

namespace rooflab::onnx {

/// Keys that a mask added to scores [..., L, S] hides.
enum class MaskKind : std::uint8_t {
  nothing,  ///< the mask is 0 everywhere: the network had no mask, or one of all ones
  causal,   ///< exactly all later keys of each query, with as many queries as keys
  other,
};

/// Kind of a mask. An element of -10,000 or less hides its key: its exp() is 0 compared with any
/// other score.
[[nodiscard]] MaskKind kind_of_mask(const ConstantTensor& mask, const graph::Shape& scores);

}  // namespace rooflab::onnx
