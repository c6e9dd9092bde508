// Workspaces of a convolution of 8 images of 14 x 14 with 30 channels to 64, 3 x 3, by hand:
// x = 8 * 196 * 30 = 47040, y = 8 * 196 * 64 = 100352, w = 30 * 64 * 9 = 17280 elements.

#include "predict/workspace_rule.hpp"

#include <gtest/gtest.h>

namespace rooflab::predict {
namespace {

using Use = WorkspaceRule::Use;

const OpShape conv_196{"conv2d", "forward", "tf32", "nchw", {8, 196, 30, 64, 1, 9, 1}};
constexpr double x = 47040.0;
constexpr double y = 100352.0;
constexpr double w = 17280.0;

TEST(WorkspaceRule, KnowsCopiesOfTheOperands) {
  EXPECT_EQ(rule_of(conv_196, 0.0).use, Use::none);
  EXPECT_EQ(rule_of(conv_196, 4.0 * (x + w + y)).use, Use::copies);
  // 30 channels become 32.
  EXPECT_EQ(rule_of(conv_196, 4.0 * ((x + w) * 32.0 / 30.0 + y)).use, Use::padded_copies);
}

// F(4x4, 3x3): 36 numbers for 16 results; F(2x2, 3x3): 16 for 4. Kernels become 36 and 16 numbers.
TEST(WorkspaceRule, KnowsWinogradsTiles) {
  const double kernels = 30.0 * 64.0;
  EXPECT_EQ(rule_of(conv_196, 4.0 * (2.25 * (x + y) + 36.0 * kernels)).use, Use::winograd_4x4);
  EXPECT_EQ(rule_of(conv_196, 4.0 * (4.0 * (x + y) + 16.0 * kernels)).use, Use::winograd_2x2);
}

TEST(WorkspaceRule, AnythingElseIsInProportion) {
  const WorkspaceRule rule = rule_of(conv_196, 10.0 * 4.0 * (x + w + y));
  EXPECT_EQ(rule.use, Use::other);
  EXPECT_DOUBLE_EQ(rule.ratio, 10.0);
  const OpShape linear{"linear", "forward", "fp32", "", {64, 64, 64}};
  EXPECT_EQ(rule_of(linear, 49152.0).use, Use::other);
}

// Twice the batch: copies of images double, those of weights do not.
TEST(WorkspaceRule, IsAppliedToOtherSizes) {
  OpShape larger = conv_196;
  larger.sizes[0] = 16.0;
  EXPECT_DOUBLE_EQ(workspace_by({Use::copies, 0.0}, larger), 4.0 * (2.0 * x + w + 2.0 * y));
  EXPECT_DOUBLE_EQ(workspace_by({Use::other, 0.5}, larger), 2.0 * (2.0 * x + w + 2.0 * y));
  EXPECT_EQ(workspace_by({Use::none, 0.0}, larger), 0.0);
}

TEST(WorkspaceRule, GivesBackWhatItWasReadFrom) {
  for (const double bytes : {1e5, 4.0 * (x + w + y), 3e6, 1e8}) {
    EXPECT_NEAR(workspace_by(rule_of(conv_196, bytes), conv_196) / bytes, 1.0, 0.02);
  }
}

}  // namespace
}  // namespace rooflab::predict
