#pragma once

#include <cstdint>

#include "rooflab/base/enum_names.hpp"

namespace rooflab {

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

}  // namespace rooflab
