#pragma once

#include <array>
#include <string_view>

#include "rooflab/graph/op.hpp"
#include "rooflab/graph/op_kinds.hpp"

namespace rooflab::analyze {

using graph::OpClass;

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
