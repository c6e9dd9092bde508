#pragma once

#include <optional>
#include <string_view>

#include "rooflab/base/precision.hpp"

namespace rooflab::trace {

/// Work of one call of an op by its arguments' shapes: modelled, not measured.
struct OpWork {
  double flops = 0.0;           ///< products only, 2 per multiply-accumulate
  std::optional<double> bytes;  ///< operands and results once; nullopt: a type is not known
  std::optional<DType> type;    ///< type of the first operand; nullopt: not a real number
};

/// Models the work of an op. `arguments`: as in record::RangeTable, a JSON list of shapes, a line
/// feed, a JSON list of types; in an optional third line a JSON list of the values of scalar
/// arguments as texts (`Concrete Inputs`: `["", "", "", "[2, 2]", "[1, 1]"]`). nullopt: no rule for
/// the op (trace_op_work.cpp lists the supported ones), or the arguments are not sufficient.
[[nodiscard]] std::optional<OpWork> modelled_op_work(std::string_view op,
                                                     std::string_view arguments);

/// Bytes of an op's tensors as PyTorch's TensorBoard plugin counts them: 0 for types unknown to it.
[[nodiscard]] double plugin_bytes(std::string_view arguments);

}  // namespace rooflab::trace
