#include "rooflab/base/precision.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflab {
namespace {

TEST(Precision, NamesAreReadBack) {
  EXPECT_THAT(names_of<Precision>(),
              testing::ElementsAre("fp64", "fp32", "tf32", "fp16", "bf16", "amp", "amp-fp16",
                                   "amp-bf16", "fp8", "int8", "mixed"));
  EXPECT_THAT(precisions_to_ask_for(), testing::ElementsAre("fp64", "fp32", "tf32", "fp16", "bf16",
                                                            "amp", "amp-fp16", "amp-bf16"));
  EXPECT_EQ(from_name<Precision>("amp_fp16"), std::nullopt);
}

TEST(Precision, AutocastHasATypeAndFp16ScalesTheLoss) {
  EXPECT_EQ(autocast_type(Precision::amp), DType::bf16);
  EXPECT_EQ(autocast_type(Precision::amp_bf16), DType::bf16);
  EXPECT_EQ(autocast_type(Precision::amp_fp16), DType::f16);
  EXPECT_EQ(autocast_type(Precision::fp16), std::nullopt);
  EXPECT_EQ(autocast_type(Precision::tf32), std::nullopt);
  EXPECT_TRUE(scales_loss(Precision::amp_fp16));
  EXPECT_FALSE(scales_loss(Precision::amp));
  EXPECT_FALSE(scales_loss(Precision::fp16));
}

TEST(Precision, OnlyAmpDependsOnTheDevice) {
  EXPECT_EQ(autocast_on(true, Precision::amp), Precision::amp);
  EXPECT_EQ(autocast_on(false, Precision::amp), Precision::amp_fp16);
  EXPECT_EQ(autocast_on(false, Precision::amp_bf16), Precision::amp_bf16);
  EXPECT_EQ(autocast_on(true, Precision::amp_fp16), Precision::amp_fp16);
  EXPECT_EQ(autocast_on(false, Precision::bf16), Precision::bf16);
}

}  // namespace
}  // namespace rooflab
