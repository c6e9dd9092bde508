#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "rooflab/base/precision.hpp"
#include "rooflab/device/device.hpp"

namespace rooflab::predict {

/// A type of matrix products, as kinds name it.
struct ProductType {
  std::string_view name;
  DType data;
  Precision precision;                  ///< precision that multiplies its data in this type
  std::array<ArithmeticPath, 3> paths;  ///< paths that multiply in it; may repeat a path

  [[nodiscard]] constexpr bool has(ArithmeticPath path) const {
    return paths[0] == path || paths[1] == path || paths[2] == path;
  }
};

/// The types of products. Every path has one type.
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

/// Type in which a device multiplies data of type `data`: the type of its path. Without a path it
/// is the data's own type, so that measurements in other types are not used for it.
[[nodiscard]] std::string_view product_type(DType data, Precision precision,
                                            const device::Device& device);

/// Path of matrix work of a type (`bf16`, `tf32`, `fp32`), or the FP32 path of a device that lacks
/// it. nullopt: the device's file has neither.
[[nodiscard]] std::optional<ArithmeticPath> path_of_type(std::string_view type,
                                                         const device::Device& device);

}  // namespace rooflab::predict
