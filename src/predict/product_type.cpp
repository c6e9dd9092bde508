#include "product_type.hpp"

#include <algorithm>

#include "rooflab/predict/limit.hpp"

namespace rooflab::predict {

std::string_view product_type(DType data, Precision precision, const device::Device& device) {
  const std::optional<ArithmeticPath> path = matrix_path(device, data, precision);
  const auto known = std::ranges::find_if(product_types, [&](const ProductType& type) {
    return path ? type.has(*path) : type.data == data;
  });
  if (known != product_types.end()) return known->name;
  return data == DType::u8 ? "int8" : "fp32";  // other integers have no separate unit
}

std::optional<ArithmeticPath> path_of_type(std::string_view type, const device::Device& device) {
  const auto known = std::ranges::find(product_types, type, &ProductType::name);
  if (known != product_types.end()) {
    if (const auto path = matrix_path(device, known->data, known->precision)) return path;
  }
  return matrix_path(device, DType::f32, Precision::fp32);
}

}  // namespace rooflab::predict
