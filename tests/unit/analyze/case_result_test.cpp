#include "rooflab/analyze/case_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "networks.hpp"

namespace rooflab::analyze {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CaseResult, Tf32IsIgnoredWhereThereIsNone) {
  const CaseResult t4 = case_of("resnet18", "t4", 1, Phase::inference, Precision::tf32);
  EXPECT_THAT(t4.notes, ElementsAre("Tesla T4 has no TF32 units: FP32 instead"));
  ASSERT_TRUE(t4.limit.time);
  EXPECT_EQ(t4.limit.main_path, ArithmeticPath::fp32_vector);
  EXPECT_DOUBLE_EQ(t4.limit.time->value, case_of("resnet18", "t4").limit.time->value);
  const CaseResult a100 =
      case_of("resnet18", "a100-sxm4-40gb", 1, Phase::inference, Precision::tf32);
  EXPECT_THAT(a100.notes, ElementsAre());
  EXPECT_EQ(a100.limit.main_path, ArithmeticPath::tf32_tensor);
}

TEST(CaseResult, Bf16WithoutUnitsHasNoLimitAndSaysWhy) {
  for (const char* device : {"t4", "v100-sxm2-16gb"}) {
    const CaseResult result = case_of("resnet18", device, 1, Phase::inference, Precision::bf16);
    EXPECT_FALSE(result.limit.time) << device;
    EXPECT_FALSE(result.limit.ideal_time) << device;
    EXPECT_FALSE(result.limit.ridge_point) << device;
    EXPECT_FALSE(result.limit.main_path) << device;
    EXPECT_EQ(result.limit.bound, predict::Bound::none) << device;
    EXPECT_THAT(result.notes, ElementsAre(HasSubstr("no limit: "))) << device;
    EXPECT_THAT(result.notes, ElementsAre(HasSubstr("bf16"))) << device;
    // What needs no peak is there.
    EXPECT_EQ(result.limit.macs, Macs(1814073344));
    ASSERT_TRUE(result.fit);
    EXPECT_EQ(result.fit->verdict, predict::Verdict::tight);
  }
}

TEST(CaseResult, ADeviceWithoutFiguresHasNeitherLimitNorVerdict) {
  const device::Device bare{.id = "bare", .name = "Bare"};
  const CaseResult result = case_of(scheduled("alexnet"), bare);
  EXPECT_FALSE(result.limit.time);
  EXPECT_FALSE(result.fit);
  EXPECT_THAT(result.notes, testing::Contains("no limit: Bare has no memory bandwidth"));
}

TEST(CaseResult, UnknownOpsAreNamed) {
  const CaseResult result =
      case_of(schedule::lower(with_unknown_ops(), {}), device::Catalog::built_in().find("t4"));
  EXPECT_THAT(result.notes, ElementsAre("not counted: 2 x Fold"));
  EXPECT_DOUBLE_EQ(result.count.coverage(), 0.5);
}

// 464.4 G: batch 256 times the published 1.814 G of one image.
TEST(CaseResult, MacsOfALargeBatch) {
  EXPECT_EQ(case_of("resnet18", "t4", 256, Phase::forward).limit.macs, Macs(464402776064));
}

// Measured with PyTorch on a GPU: what the allocator holds after a forward pass, less before.
TEST(CaseResult, SavedActivationsAsMeasured) {
  const auto saved = [](const char* model) {
    return case_of(model, "t4", 256, Phase::forward).memory.saved_activations.as_double();
  };
  EXPECT_NEAR(saved("resnet18") / 5529157632.0, 1.0, 0.01);
  EXPECT_NEAR(saved("alexnet") / 796762112.0, 1.0, 0.01);
  EXPECT_NEAR(saved("vgg16") / 18619539456.0, 1.0, 0.01);
}

TEST(CaseResult, Vgg16OfBatch256DoesNotFitOnAT4) {
  const CaseResult t4 = case_of("vgg16", "t4", 256, Phase::forward);
  EXPECT_EQ(t4.fit->verdict, predict::Verdict::oom);
  EXPECT_LT(t4.fit->margin, 0.0);
  EXPECT_EQ(case_of("vgg16", "a100-sxm4-40gb", 256, Phase::forward).fit->verdict,
            predict::Verdict::tight);
}

}  // namespace
}  // namespace rooflab::analyze
