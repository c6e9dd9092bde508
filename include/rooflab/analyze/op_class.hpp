#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "rooflab/graph/op.hpp"

namespace rooflab::analyze {

/// Families of ops, as people ask where the time went.
enum class OpClass : std::uint8_t {
  convolution,
  matmul,         ///< linear layers, matrix products, contractions
  attention,      ///< the fused op
  normalisation,  ///< batch, layer, group, RMS and local response norm
  activation,     ///< relu to softsign, and softmax
  pooling,        ///< and reductions
  elementwise,    ///< arithmetic of tensors, dropout
  copy,           ///< concatenation, padding, casts, gathers, views that must copy
  loss,
  optimizer,
  other,  ///< unknown ops, and time that belongs to no op
};

inline constexpr std::array all_op_classes = {
    OpClass::convolution, OpClass::matmul,    OpClass::attention,   OpClass::normalisation,
    OpClass::activation,  OpClass::pooling,   OpClass::elementwise, OpClass::copy,
    OpClass::loss,        OpClass::optimizer, OpClass::other};

/// `convolution`, `linear and matmul`, ...
[[nodiscard]] std::string_view name_of(OpClass op_class);

[[nodiscard]] OpClass op_class_of(const graph::Op& op);

/// Of a row of a layer table that is no node: `(loss)`, `(optimizer)`; anything else is `other`.
[[nodiscard]] OpClass op_class_of_row(std::string_view name);

}  // namespace rooflab::analyze
