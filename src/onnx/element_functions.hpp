#pragma once

#include <cstdint>
#include <optional>

#include "rooflab/graph/op.hpp"

/// Functions of single elements; nullopt: not evaluated, or without a value. Integers wrap.
namespace rooflab::onnx {

[[nodiscard]] std::optional<double> value_of(graph::UnaryFunction function, double x);
[[nodiscard]] std::optional<std::int64_t> value_of(graph::UnaryFunction function, std::int64_t x);
[[nodiscard]] std::optional<double> value_of(graph::BinaryFunction function, double a, double b);
[[nodiscard]] std::optional<std::int64_t> value_of(graph::BinaryFunction function, std::int64_t a,
                                                   std::int64_t b);

}  // namespace rooflab::onnx
