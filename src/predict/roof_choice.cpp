#include <initializer_list>

#include "rooflab/predict/limit.hpp"

namespace rooflab::predict {
namespace {

using enum ArithmeticPath;

std::optional<ArithmeticPath> first_present(const device::Device& device,
                                            std::initializer_list<ArithmeticPath> paths) {
  for (const ArithmeticPath path : paths) {
    if (device.peaks.contains(path)) return path;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ArithmeticPath> matrix_path(const device::Device& device, DType type,
                                          Precision precision) {
  switch (type) {
    case DType::f64:
      return first_present(device, {fp64_tensor, fp64_vector});
    case DType::f32:
      // A device without TF32 ignores the permission to use it.
      if (precision == Precision::tf32 && device.peaks.contains(tf32_tensor)) return tf32_tensor;
      return first_present(device, {fp32_matrix, fp32_vector});
    case DType::f16:
      // Frameworks accumulate in fp32. Without tensor cores such a product runs on the FP32 units,
      // never on fp16 vector units, which accumulate in fp16: docs/methods/precision.md.
      return first_present(device, {fp16_tensor_fp32, fp32_vector});
    case DType::bf16:
      return first_present(device, {bf16_tensor_fp32});
    case DType::f8:
      return first_present(device, {fp8_tensor_fp32});
    case DType::i8:
    case DType::u8:
      return first_present(device, {int8_tensor_int32});
    case DType::i64:
    case DType::i32:
    case DType::i16:
    case DType::u64:
    case DType::u32:
    case DType::u16:
    case DType::boolean:
      break;
  }
  return std::nullopt;
}

std::optional<ArithmeticPath> vector_path(const device::Device& device, DType type) {
  return first_present(device, {type == DType::f64 ? fp64_vector : fp32_vector});
}

}  // namespace rooflab::predict
