#include "profile/launch_round.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace rooflab::profile {
namespace {

using ::testing::ElementsAre;

bool all(std::uint32_t /*group*/) { return true; }

TEST(LaunchRound, CountsEachMemberOnceInEveryPassInAnyOrder) {
  LaunchRound round(2, 4, all);
  EXPECT_EQ(round.before_launch(7, 0.0), 0U);
  EXPECT_EQ(round.before_launch(7, 0.0), std::nullopt);
  EXPECT_FALSE(round.pass_is_over(0.0));
  EXPECT_EQ(round.before_launch(3, 0.0), 1U);
  EXPECT_TRUE(round.pass_is_over(0.0));  // half of the room
  round.next_pass();
  EXPECT_EQ(round.before_launch(3, 0.0), 1U);
  EXPECT_EQ(round.before_launch(3, 0.0), std::nullopt);
  EXPECT_FALSE(round.pass_is_over(0.0));
  EXPECT_EQ(round.before_launch(7, 0.0), 0U);
  EXPECT_TRUE(round.pass_is_over(0.0));
  round.next_pass();
  EXPECT_TRUE(round.is_over());
  EXPECT_EQ(round.before_launch(7, 0.0), std::nullopt);
  EXPECT_THAT(round.members(), ElementsAre(7U, 3U));
}

TEST(LaunchRound, ALaterPassTakesFurtherGroups) {
  LaunchRound round(2, 4, all);
  (void)round.before_launch(1, 0.0);
  (void)round.before_launch(2, 0.0);
  EXPECT_EQ(round.before_launch(3, 0.0), std::nullopt);
  round.next_pass();
  EXPECT_EQ(round.before_launch(3, 0.0), 2U);
  EXPECT_EQ(round.before_launch(4, 0.0), 3U);
  EXPECT_EQ(round.before_launch(5, 0.0), std::nullopt);  // no room
  EXPECT_FALSE(round.pass_is_over(0.0));                 // 1 and 2 are waited for
  EXPECT_THAT(round.members(), ElementsAre(1U, 2U, 3U, 4U));
}

TEST(LaunchRound, TakesOnlyWhatIsWanted) {
  LaunchRound round(1, 8, [](std::uint32_t group) { return group % 2 == 0; });
  EXPECT_EQ(round.before_launch(1, 0.0), std::nullopt);
  EXPECT_EQ(round.before_launch(2, 0.0), 0U);
  EXPECT_THAT(round.members(), ElementsAre(2U));
}

TEST(LaunchRound, WaitsForAsManyLaunchesAsItHasSeen) {
  LaunchRound round(1, 8, [](std::uint32_t group) { return group > 0; });
  for (int i = 0; i < 149; ++i) (void)round.before_launch(0, 0.0);
  EXPECT_FALSE(round.pass_is_over(0.0));
  EXPECT_EQ(round.before_launch(1, 0.0), 0U);
  for (int i = 0; i < 149; ++i) (void)round.before_launch(0, 0.0);
  EXPECT_FALSE(round.pass_is_over(0.0));
  (void)round.before_launch(0, 0.0);
  EXPECT_TRUE(round.pass_is_over(0.0));
}

TEST(LaunchRound, GivesUpAMemberThatDoesNotComeAgain) {
  LaunchRound round(2, 4, [](std::uint32_t group) { return group < 3; });
  (void)round.before_launch(1, 0.0);
  (void)round.before_launch(2, 0.0);
  round.next_pass();
  (void)round.before_launch(2, 0.0);
  for (int i = 0; i < 15; ++i) (void)round.before_launch(2, 0.0);
  EXPECT_FALSE(round.pass_is_over(0.0));
  (void)round.before_launch(2, 0.0);
  EXPECT_TRUE(round.pass_is_over(0.0));
}

TEST(LaunchRound, LongKernelsAreWaitedForByTime) {
  LaunchRound round(1, 8, [](std::uint32_t group) { return group > 0; });
  (void)round.before_launch(1, 10.0);
  for (int i = 0; i < 3; ++i) (void)round.before_launch(0, 10.1);
  EXPECT_FALSE(round.pass_is_over(11.0));  // too few launches to tell
  (void)round.before_launch(0, 10.2);
  EXPECT_FALSE(round.pass_is_over(10.4));
  EXPECT_TRUE(round.pass_is_over(10.5));
}

}  // namespace
}  // namespace rooflab::profile
