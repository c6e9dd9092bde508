#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// Whether the path uses tensor or matrix units instead of the CUDA cores' vector lanes. Work on
/// the two kinds of units can overlap.
[[nodiscard]] bool is_matrix_unit(ArithmeticPath path);

/// Element type of a tensor. TF32 is not one: it is fp32 data on TF32 matrix units (Precision).
// clang-format off
enum class DType : std::uint8_t {
  f64, f32, f16, bf16, f8, i64, i32, i16, i8, u64, u32, u16, u8, boolean,
};
// clang-format on
constexpr auto names_in_order(For<DType>) {
  return names_through<DType::boolean>("f64", "f32", "f16", "bf16", "f8", "i64", "i32", "i16", "i8",
                                       "u64", "u32", "u16", "u8", "bool");
}

/// Bytes of one element (bool is 1).
[[nodiscard]] std::int64_t size_of(DType dtype);
[[nodiscard]] bool is_floating(DType dtype);

/// Type of an elementwise result, as PyTorch promotes two tensors: floating beats integer, wider
/// beats narrower, fp16 with bf16 gives fp32. Source: PyTorch documentation, "Type promotion".
[[nodiscard]] DType promote(DType a, DType b);

/// Storage and multiplication of the numbers of a run.
///
/// fp64, fp32: all data and arithmetic. tf32: fp32 data, TF32 matrix units. fp16, bf16: all data.
/// amp-bf16, amp-fp16: autocast to that type (matrix ops in it, listed ops in fp32, parameters in
/// fp32); training in amp-fp16 scales the loss. amp: autocast to bf16, and to fp16 on a device that
/// does not compute bf16 (autocast_on).
///
/// Only networks from files have these: fp8, int8: all data; mixed: several types.
enum class Precision { fp64, fp32, tf32, fp16, bf16, amp, amp_fp16, amp_bf16, fp8, int8, mixed };
constexpr auto names_in_order(For<Precision>) {
  return names_through<Precision::mixed>("fp64", "fp32", "tf32", "fp16", "bf16", "amp", "amp-fp16",
                                         "amp-bf16", "fp8", "int8", "mixed");
}

/// Names of the precisions that a command can ask for.
[[nodiscard]] std::vector<std::string> precisions_to_ask_for();

/// The precision in which all data have this type; nullopt: no precision is named after it.
[[nodiscard]] std::optional<Precision> precision_of_type(DType type);

/// The 16-bit type that autocast computes in; nullopt without autocast.
[[nodiscard]] std::optional<DType> autocast_type(Precision precision);

/// Whether training scales the loss, as PyTorch's GradScaler does, so that small gradients survive
/// in fp16. bf16 has the range of fp32 and needs no scale.
[[nodiscard]] bool scales_loss(Precision precision);

/// The precision in which a device computes a requested one: `amp` becomes amp_fp16 if the device
/// does not compute bf16; everything else stays as it is.
[[nodiscard]] Precision autocast_on(bool computes_bf16, Precision asked);

/// NVIDIA's GPUs compute bf16 from this compute capability on (Ampere). Source: NVIDIA, "CUDA C++
/// Programming Guide", table of arithmetic by compute capability; torch.cuda.is_bf16_supported()
/// asks for the same.
inline constexpr double least_bf16_capability = 8.0;

/// The part of the work that a case does.
///
/// inference: evaluation mode, no autograd. forward: training mode, autograd keeps what a backward
/// pass would need, no backward. training: forward, cross-entropy, backward, optimizer step (which
/// a case may omit).
enum class Phase { inference, forward, training };
constexpr auto names_in_order(For<Phase>) {
  return names_through<Phase::training>("inference", "forward", "training");
}

}  // namespace rooflab
