#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "rooflab/base/precision.hpp"
#include "rooflab/device/device.hpp"

namespace rooflab::predict {

/// A type in which matrices are multiplied, as kinds name it.
struct ProductType {
  std::string_view name;
  DType data;
  Precision precision;                  ///< in which data of that type are multiplied so
  std::array<ArithmeticPath, 3> paths;  ///< that multiply in it; a path may stand twice

  [[nodiscard]] constexpr bool has(ArithmeticPath path) const {
    return paths[0] == path || paths[1] == path || paths[2] == path;
  }
};

/// Every path is of one type.
inline constexpr auto product_types = [] {
  using enum ArithmeticPath;
  const auto only = [](ArithmeticPath path) { return std::array{path, path, path}; };
  return std::array<ProductType, 7>{{
      {"fp64", DType::f64, Precision::fp64, {fp64_tensor, fp64_vector, fp64_vector}},
      {"fp32", DType::f32, Precision::fp32, {fp32_matrix, fp32_vector, fp32_vector}},
      {"tf32", DType::f32, Precision::tf32, only(tf32_tensor)},
      {"fp16", DType::f16, Precision::fp16, {fp16_tensor_fp32, fp16_tensor_fp16, fp16_vector}},
      {"bf16", DType::bf16, Precision::bf16, only(bf16_tensor_fp32)},
      {"fp8", DType::f8, Precision::fp32, only(fp8_tensor_fp32)},
      {"int8", DType::i8, Precision::fp32, only(int8_tensor_int32)},
  }};
}();
static_assert([] {
  for (const ArithmeticPath path : values_of<ArithmeticPath>) {
    int types = 0;
    for (const ProductType& type : product_types) types += type.has(path) ? 1 : 0;
    if (types != 1) return false;
  }
  return true;
}());

/// The type in which a device multiplies data of `data`: that of its path. Without one it is the
/// data's own, so that nothing that was measured in another type answers for it.
[[nodiscard]] std::string_view product_type(DType data, Precision precision,
                                            const device::Device& device);

/// Where matrix work of a type runs (`bf16`, `tf32`, `fp32`): its path, or the FP32 path of a
/// device that lacks it. nullopt: the device's file has neither.
[[nodiscard]] std::optional<ArithmeticPath> path_of_type(std::string_view type,
                                                         const device::Device& device);

}  // namespace rooflab::predict
