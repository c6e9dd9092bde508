#include "rooflab/device/device.hpp"

#include <gtest/gtest.h>

#include "rooflab/device/catalog.hpp"

namespace rooflab::device {
namespace {

TEST(RidgePoint, EqualsTheHandComputedFigures) {
  const Catalog catalog = Catalog::built_in();
  const auto ridge = [&](std::string_view name, ArithmeticPath path) {
    return ridge_point(catalog.find(name), path).value();
  };
  // Peak TFLOP/s over TB/s.
  EXPECT_NEAR(ridge("a100-sxm4-40gb", ArithmeticPath::fp32_vector), 12.5402, 1e-4);   // 19.5/1.555
  EXPECT_NEAR(ridge("a100-sxm4-40gb", ArithmeticPath::tf32_tensor), 100.3215, 1e-4);  // 156/1.555
  EXPECT_NEAR(ridge("v100-sxm2-16gb", ArithmeticPath::fp32_vector), 17.4444, 1e-4);   // 15.7/0.9
  EXPECT_NEAR(ridge("t4", ArithmeticPath::fp32_vector), 25.3125, 1e-4);               // 8.1/0.32
  EXPECT_NEAR(ridge("h200", ArithmeticPath::bf16_tensor_fp32), 206.125, 1e-4);        // 989.4/4.8
}

TEST(RidgePoint, IsAbsentWithoutThePathOrTheBandwidth) {
  Device device;
  device.peaks[ArithmeticPath::fp32_vector].value = 1e12;
  EXPECT_EQ(ridge_point(device, ArithmeticPath::fp32_vector), std::nullopt);
  device.bandwidth.emplace().value = 1e11;
  EXPECT_DOUBLE_EQ(ridge_point(device, ArithmeticPath::fp32_vector).value(), 10.0);
  EXPECT_EQ(ridge_point(device, ArithmeticPath::tf32_tensor), std::nullopt);
  EXPECT_EQ(peak(device, ArithmeticPath::tf32_tensor), std::nullopt);
  EXPECT_DOUBLE_EQ(peak(device, ArithmeticPath::fp32_vector).value(), 1e12);
}

// What the file of a device says decides; a CPU has no multiprocessors.
TEST(Device, ComputesBf16ByPeakThenByCapability) {
  Device device;
  EXPECT_TRUE(computes_bf16(device));
  device.sm_count = Figure{.value = 80.0};
  EXPECT_FALSE(computes_bf16(device));
  device.compute_capability = Fact{.value = "8.6"};
  EXPECT_TRUE(computes_bf16(device));
  device.compute_capability = Fact{.value = "7.0"};
  EXPECT_FALSE(computes_bf16(device));
  device.compute_capability = Fact{.value = "gfx906"};
  EXPECT_FALSE(computes_bf16(device));
  device.peaks[ArithmeticPath::bf16_tensor_fp32] = {.value = 1e12};
  EXPECT_TRUE(computes_bf16(device));
}

}  // namespace
}  // namespace rooflab::device
