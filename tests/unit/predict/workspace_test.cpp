#include "rooflab/predict/workspace.hpp"

#include <gtest/gtest.h>

namespace rooflab::predict {
namespace {

TEST(Workspace, OfOneAmountIsThatAmount) {
  EXPECT_EQ(Workspace{}.expected(1e9), 0.0);
  EXPECT_EQ((Workspace{{{64.0, 1.0}}, 64.0, 0.0}.expected(0.0)), 64.0);
}

// Nothing with 0.4, 900 bytes with 0.6. With a bytes the weights are 0.4 / a and 0.6 / (a + 900):
// equal at a = 1800.
TEST(Workspace, LargeAmountsBesideLittleMustBeLikely) {
  const Workspace workspace{{{0.0, 0.4}, {900.0, 0.6}}, 900.0, 0.0};
  EXPECT_EQ(workspace.expected(100.0), 0.0);
  EXPECT_EQ(workspace.expected(1700.0), 0.0);
  EXPECT_EQ(workspace.expected(1900.0), 900.0);
  EXPECT_EQ(workspace.expected(1e9), 900.0);
}

// Mean relative errors with 100 bytes, where 0, 100 and 300 have 0.2, 0.3 and 0.5: of 100 bytes
// in all 0.3 / 2 + 0.5 * 3 / 4 = 0.525, of 200 0.2 + 0.5 / 2 = 0.45, of 400 0.2 * 3 + 0.3 = 0.9.
TEST(Workspace, HasTheLeastMeanRelativeError) {
  const Workspace workspace{{{0.0, 0.2}, {100.0, 0.3}, {300.0, 0.5}}, 300.0, 0.0};
  EXPECT_EQ(workspace.expected(100.0), 100.0);
}

}  // namespace
}  // namespace rooflab::predict
