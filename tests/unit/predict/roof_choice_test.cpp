#include <gtest/gtest.h>

#include "rooflab/predict/limit.hpp"
#include "toy_device.hpp"

namespace rooflab::predict {
namespace {

using enum ArithmeticPath;

TEST(RoofChoice, Fp32WorkStaysOnTheFp32UnitsUnlessTf32IsAllowed) {
  const device::Device device = toy_tensor_device();
  EXPECT_EQ(matrix_path(device, DType::f32, Precision::fp32), fp32_vector);
  EXPECT_EQ(matrix_path(device, DType::f32, Precision::amp), fp32_vector);
  EXPECT_EQ(matrix_path(device, DType::f32, Precision::tf32), tf32_tensor);
  EXPECT_EQ(matrix_path(toy_device(), DType::f32, Precision::tf32), fp32_vector);
}

TEST(RoofChoice, HalfPrecisionProductsAccumulateInFp32) {
  EXPECT_EQ(matrix_path(toy_tensor_device(), DType::f16, Precision::fp16), fp16_tensor_fp32);
  EXPECT_EQ(matrix_path(toy_tensor_device(), DType::bf16, Precision::amp), bf16_tensor_fp32);
  // No tensor cores: fp16 data is multiplied on the FP32 units, bf16 has no path.
  EXPECT_EQ(matrix_path(toy_device(), DType::f16, Precision::fp16), fp32_vector);
  EXPECT_EQ(matrix_path(toy_device(), DType::bf16, Precision::bf16), std::nullopt);
  device::Device pascal = toy_device();  // fp16 vector units at twice fp32's rate, as a P100
  pascal.peaks[fp16_vector] = {.value = 2000.0};
  EXPECT_EQ(matrix_path(pascal, DType::f16, Precision::amp_fp16), fp32_vector);
}

TEST(RoofChoice, VectorWorkNeverUsesAHalfPrecisionRoof) {
  EXPECT_EQ(vector_path(toy_tensor_device(), DType::f32), fp32_vector);
  EXPECT_EQ(vector_path(toy_tensor_device(), DType::f64), fp64_vector);
}

TEST(RoofChoice, MatrixUnitsOfOtherKindsAreTaken) {
  device::Device device = toy_device();
  device.peaks[fp64_tensor] = {.value = 2000.0};
  device.peaks[fp32_matrix] = {.value = 3000.0};
  EXPECT_EQ(matrix_path(device, DType::f64, Precision::fp64), fp64_tensor);
  EXPECT_EQ(matrix_path(device, DType::f32, Precision::fp32), fp32_matrix);
}

}  // namespace
}  // namespace rooflab::predict
