#include "rooflab/analyze/roof_place.hpp"

#include <gtest/gtest.h>

#include "rooflab/device/catalog.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;

/// FP32 work of one launch without tensor counters.
record::KernelSums sums_with(double fp32, double bytes, double time_s, bool tensor_cores = false) {
  record::KernelTable kernels;
  kernels.add({.name = kernels.names.intern("k")});
  kernels.set(KernelFigure::fadd, 0, fp32);
  kernels.set(KernelFigure::fmul, 0, 0.0);
  kernels.set(KernelFigure::ffma, 0, 0.0);
  kernels.set(KernelFigure::dram_bytes, 0, bytes);
  kernels.set(KernelFigure::time_s, 0, time_s);
  return record::sums_of(kernels, tensor_cores);
}

const device::Device& v100() {
  static const device::Device device = device::Catalog::built_in().find("v100-sxm2-16gb");
  return device;
}

// Figures that were published for training steps on a V100 (15.7 TFLOP/s, 900 GB/s, ridge 17.44):
// ResNet-18 8,297,434,213 FLOP, 484,320,736 B, 5.030304 ms; AlexNet 4,117,546,463, 839,343,936,
// 2.397472 ms.
TEST(RoofPlace, LeftOfTheRidgePointMemoryLimits) {
  const auto alexnet = roof_place_of(sums_with(4'117'546'463, 839'343'936, 0.002397472), v100());
  ASSERT_TRUE(alexnet);
  EXPECT_EQ(alexnet->bound, predict::Bound::memory);
  EXPECT_NEAR(alexnet->attainable_flops_per_s, 4.9057 * 900e9, 1e8);
  // 1.7175 TFLOP/s of 4.4151.
  EXPECT_NEAR(alexnet->attainable_share, 0.389, 0.0005);
  const auto resnet = roof_place_of(sums_with(8'297'434'213, 484'320'736, 0.005030304), v100());
  EXPECT_EQ(resnet->bound, predict::Bound::memory);
  EXPECT_NEAR(resnet->attainable_flops_per_s, 17.132 * 900e9, 1e9);
}

TEST(RoofPlace, RightOfItArithmeticDoes) {
  const auto place = roof_place_of(sums_with(2e9, 1e8, 1e-3), v100());
  EXPECT_EQ(place->bound, predict::Bound::compute);
  EXPECT_EQ(place->attainable_flops_per_s, 15.7e12);
  EXPECT_NEAR(place->attainable_share, 2.0 / 15.7, 1e-9);
}

TEST(RoofPlace, ALowerBoundHasNoPlace) {
  EXPECT_FALSE(roof_place_of(sums_with(2e9, 1e8, 1e-3, true), v100()));
  EXPECT_FALSE(roof_place_of(sums_with(2e9, 1e8, 1e-3), std::nullopt));
  EXPECT_FALSE(roof_place_of(sums_with(0.0, 1e8, 1e-3), v100()));
}

}  // namespace
}  // namespace rooflab::analyze
