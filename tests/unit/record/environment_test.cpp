#include "rooflab/record/environment.hpp"

#include <gtest/gtest.h>

namespace rooflab::record {
namespace {

DeviceIdentity gpu(const std::string& capability) {
  return {.kind = "cuda", .compute_capability = capability};
}

// A V100 is 7.0, a T4 7.5, a P100 6.0; an A100 8.0, an H200 9.0.
TEST(Environment, AmpIsFp16BelowComputeCapability8) {
  EXPECT_EQ(precision_on(gpu("6.0"), Precision::amp), Precision::amp_fp16);
  EXPECT_EQ(precision_on(gpu("7.0"), Precision::amp), Precision::amp_fp16);
  EXPECT_EQ(precision_on(gpu("7.5"), Precision::amp), Precision::amp_fp16);
  EXPECT_EQ(precision_on(gpu("8.0"), Precision::amp), Precision::amp);
  EXPECT_EQ(precision_on(gpu("9.0"), Precision::amp), Precision::amp);
  EXPECT_EQ(precision_on(gpu("10.0"), Precision::amp), Precision::amp);
  EXPECT_EQ(precision_on(gpu("7.0"), Precision::amp_bf16), Precision::amp_bf16);
  EXPECT_EQ(precision_on(gpu("7.0"), Precision::fp32), Precision::fp32);
}

TEST(Environment, ACpuTakesBf16) {
  const DeviceIdentity cpu{.kind = "cpu"};
  EXPECT_EQ(capability_of(cpu), std::nullopt);
  EXPECT_EQ(precision_on(cpu, Precision::amp), Precision::amp);
}

}  // namespace
}  // namespace rooflab::record
