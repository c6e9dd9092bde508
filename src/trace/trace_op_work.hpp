#pragma once

#include <optional>
#include <string_view>

#include "rooflab/base/precision.hpp"

namespace rooflab::trace {

/// What one call of an op has to do by its arguments' shapes: modelled, not measured.
struct OpWork {
  double flops = 0.0;           ///< those of products, 2 per multiply-accumulate
  std::optional<double> bytes;  ///< operands and results once; nullopt: a type is not known
  std::optional<DType> type;    ///< type of the first operand; nullopt: not a real number
};

/// `arguments` as record::RangeTable keeps them: a JSON list of shapes, a line feed, a JSON list of
/// types; where a third line follows, a JSON list of the values of scalar arguments as texts
/// (`Concrete Inputs`: `["", "", "", "[2, 2]", "[1, 1]"]`). nullopt: no rule for the op (the
/// supported ones stand in trace_op_work.cpp), or the arguments do not tell.
[[nodiscard]] std::optional<OpWork> modelled_op_work(std::string_view op,
                                                     std::string_view arguments);

/// Bytes of an op's tensors as PyTorch's TensorBoard plugin counts them: of types that it does not
/// know 0.
[[nodiscard]] double plugin_bytes(std::string_view arguments);

}  // namespace rooflab::trace
