// Workspaces of a convolution of 8 images of 14 x 14 with 30 channels to 64, 3 x 3, by hand:
// x = 8 * 196 * 30 = 47040, y = 8 * 196 * 64 = 100352, w = 30 * 64 * 9 = 17280 elements.

#include "predict/workspace_rule.hpp"

#include <gtest/gtest.h>

namespace rooflab::predict {
namespace {

const OpShape conv_196{"conv2d", "forward", "tf32", "nchw", {8, 196, 30, 64, 1, 9, 1}};
constexpr double x = 47040.0;
constexpr double y = 100352.0;
constexpr double w = 17280.0;
// 32 channels, which no copy rounds up: x = 50176, w = 18432.
const OpShape conv_32{"conv2d", "forward", "tf32", "nchw", {8, 196, 32, 64, 1, 9, 1}};
constexpr double x_32 = 50176.0;
constexpr double w_32 = 18432.0;
constexpr double tile = 131072.0;
constexpr double multiprocessors = 132.0;

WorkspaceRule rule_for(double bytes, const OpShape& shape = conv_196) {
  return rule_of(shape, bytes, multiprocessors);
}

TEST(WorkspaceRule, KnowsCopiesOfTheOperands) {
  EXPECT_EQ(rule_for(4.0 * (x + w + y)).copies, Copies::all);
  EXPECT_EQ(rule_for(4.0 * (x + y)).copies, Copies::images);
  EXPECT_EQ(rule_for(4.0 * (x + w)).copies, Copies::operands);
  // 30 channels become 32.
  const WorkspaceRule padded = rule_for(4.0 * ((x + w) * 32.0 / 30.0 + y));
  EXPECT_EQ(padded.copies, Copies::all);
  EXPECT_EQ(padded.padding, ChannelPadding::vector);
  EXPECT_NEAR(padded.rest, 0.0, 1e-6);
}

// F(4x4, 3x3) has 16 tiles of 36 numbers; an FFT of 16 x 16 points 1152 bytes.
TEST(WorkspaceRule, KnowsTransforms) {
  const double winograd = 144.0 * (8 * 16 * 94 + 30 * 64);
  EXPECT_EQ(rule_for(winograd).transform, Transform::winograd);
  const double fft = 2304.0 * (8 * 30 + 30 * 64) + 36.0 * 30 * 64;
  EXPECT_EQ(rule_for(fft).transform, Transform::fft);
  const WorkspaceRule both = rule_for(fft + 4.0 * (x + w + y));
  EXPECT_EQ(both.transform, Transform::fft);
  EXPECT_EQ(both.copies, Copies::all);
}

// Sums of three tiles of 128 KiB in addition to copies of everything; of 133 nothing is left.
TEST(WorkspaceRule, TheRestIsATileForEachMultiprocessor) {
  const double all = 4.0 * (x_32 + w_32 + y);
  const WorkspaceRule rule = rule_for(all + 3.0 * tile, conv_32);
  EXPECT_EQ(rule.copies, Copies::all);
  EXPECT_DOUBLE_EQ(rule.rest, 3.0 * tile);
  EXPECT_TRUE(rule_for(all + 132.0 * tile, conv_32).explained);
  EXPECT_FALSE(rule_for(all + 133.0 * tile, conv_32).explained);
}

TEST(WorkspaceRule, AnythingElseIsInProportion) {
  const WorkspaceRule rule = rule_for(100.0 * 4.0 * (x + w + y));
  EXPECT_FALSE(rule.explained);
  EXPECT_DOUBLE_EQ(rule.ratio, 100.0);
  const OpShape linear{"linear", "forward", "fp32", "", {64, 64, 64}};
  EXPECT_FALSE(rule_for(49152.0, linear).explained);
  EXPECT_EQ(rule_for(49152.0, linear).ratio, 1.0);
}

// Twice the batch: copies of images double, those of weights and the rest do not.
TEST(WorkspaceRule, IsAppliedToOtherSizes) {
  OpShape larger = conv_196;
  larger.sizes[0] = 16.0;
  const double all = 4.0 * (x + w + y);
  EXPECT_DOUBLE_EQ(workspace_by(rule_for(all), larger), 4.0 * (2.0 * x + w + 2.0 * y));
  EXPECT_DOUBLE_EQ(workspace_by(rule_for(100.0 * all), larger),
                   100.0 * 4.0 * (2.0 * x + w + 2.0 * y));
  EXPECT_EQ(workspace_by(rule_for(0.0), larger), 0.0);
  OpShape larger_32 = conv_32;
  larger_32.sizes[0] = 16.0;
  EXPECT_DOUBLE_EQ(workspace_by(rule_for(4.0 * (x_32 + w_32 + y) + tile, conv_32), larger_32),
                   4.0 * (2.0 * x_32 + w_32 + 2.0 * y) + tile);
  // Winograd cannot make a kernel of 7 x 7: in proportion to the operands.
  const WorkspaceRule winograd = rule_for(144.0 * (8 * 16 * 94 + 30 * 64));
  OpShape other = conv_196;
  other.sizes[5] = 49.0;
  EXPECT_DOUBLE_EQ(workspace_by(winograd, other), winograd.ratio * work_of(other).bytes);
}

TEST(WorkspaceRule, GivesBackWhatItWasReadFrom) {
  for (const double bytes : {1e5, 4.0 * (x + w + y), 3e6, 1e8}) {
    EXPECT_NEAR(workspace_by(rule_for(bytes), conv_196) / bytes, 1.0, 1e-3);
  }
}

}  // namespace
}  // namespace rooflab::predict
