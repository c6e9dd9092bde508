#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "rooflab/graph/op.hpp"

namespace rooflab::graph {

/// Number of operands and results of an op.
struct Arity {
  std::size_t least_inputs;
  std::size_t most_inputs;
  std::size_t outputs = 1;
};
[[nodiscard]] Arity arity_of(const Op& op);

/// The fault of an op's attributes, by themselves and for these operands; empty: none. The arity
/// must be right. Faults that only the result's type shows are found by infer_types().
[[nodiscard]] std::string_view attribute_fault(const Op& op, std::span<const Shape* const> inputs);

}  // namespace rooflab::graph
