#pragma once

#include <string_view>

#include "rooflab/graph/op.hpp"
#include "rooflab/graph/op_kinds.hpp"

namespace rooflab::analyze {

using graph::OpClass;

[[nodiscard]] OpClass op_class_of(const graph::Op& op);

/// Class of a row without a node in a layer table: `(loss)`, `(optimizer)`; else `other`.
[[nodiscard]] OpClass op_class_of_row(std::string_view name);

}  // namespace rooflab::analyze
