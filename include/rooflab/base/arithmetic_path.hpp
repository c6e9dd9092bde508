#pragma once

#include <string_view>

#include "rooflab/base/enum_names.hpp"

namespace rooflab {

/// A way through a device's arithmetic units: the unit, the type of its inputs and of its
/// accumulator. A roof belongs to a path; figures are dense (no structured sparsity).
enum class ArithmeticPath {
  fp64_vector,
  fp32_vector,
  fp16_vector,
  fp64_tensor,       ///< fp64 inputs, fp64 accumulate
  fp32_matrix,       ///< fp32 inputs, fp32 accumulate on matrix units (AMD)
  tf32_tensor,       ///< fp32 storage rounded to TF32, fp32 accumulate
  fp16_tensor_fp32,  ///< fp16 inputs, fp32 accumulate
  fp16_tensor_fp16,  ///< fp16 inputs, fp16 accumulate
  bf16_tensor_fp32,
  fp8_tensor_fp32,
  int8_tensor_int32,
};
constexpr auto names_in_order(For<ArithmeticPath>) {
  return names_through<ArithmeticPath::int8_tensor_int32>(
      "fp64_vector", "fp32_vector", "fp16_vector", "fp64_tensor", "fp32_matrix", "tf32_tensor",
      "fp16_tensor_fp32", "fp16_tensor_fp16", "bf16_tensor_fp32", "fp8_tensor_fp32",
      "int8_tensor_int32");
}

/// For people: `FP32`, `TF32 tensor`, `FP16 tensor (FP32 accumulate)`.
[[nodiscard]] std::string_view label_of(ArithmeticPath path);

/// Tensor and matrix units as opposed to the CUDA cores' vector lanes. Work on the two kinds of
/// units can overlap.
[[nodiscard]] bool is_matrix_unit(ArithmeticPath path);

}  // namespace rooflab
