#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rooflab {

/// Element type of a tensor. TF32 is not one: it is fp32 data on TF32 matrix units (Precision).
enum class DType : std::uint8_t { f64, f32, f16, bf16, f8, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

/// Bytes of one element (bool is 1).
[[nodiscard]] std::int64_t size_of(DType dtype);
[[nodiscard]] bool is_floating(DType dtype);

/// `f32`, `i64`, `bool`, ...
[[nodiscard]] std::string_view name_of(DType dtype);
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);

/// Type of an elementwise result, as PyTorch promotes two tensors: floating beats integer, wider
/// beats narrower, fp16 with bf16 gives fp32. Source: PyTorch documentation, "Type promotion".
[[nodiscard]] DType promote(DType a, DType b);

}  // namespace rooflab
