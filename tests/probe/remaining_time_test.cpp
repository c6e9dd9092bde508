#include "remaining_time.hpp"

#include <gtest/gtest.h>

namespace rooflab::probe_worker {
namespace {

TEST(RemainingTime, BeginsAsExpected) { EXPECT_EQ(RemainingTime(40.0).seconds(), 40.0); }

TEST(RemainingTime, FollowsWhatStepsTook) {
  RemainingTime remaining(40.0);
  remaining.finish(10.0, 23.0);
  // 30 s are left; 23 s for 10 with 3 s of trust in the expectation: a factor of 26 / 13.
  EXPECT_DOUBLE_EQ(remaining.seconds(), 60.0);
  remaining.finish(30.0, 1.0);
  EXPECT_EQ(remaining.seconds(), 0.0);
}

TEST(RemainingTime, OneQuickStepSaysLittle) {
  RemainingTime remaining(10.0);
  remaining.finish(1.0, 0.0);
  EXPECT_DOUBLE_EQ(remaining.seconds(), 9.0 * 3.0 / 4.0);
}

}  // namespace
}  // namespace rooflab::probe_worker
