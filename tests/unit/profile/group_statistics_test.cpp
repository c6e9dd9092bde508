#include "profile/group_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "profile/counting_budget.hpp"

namespace rooflab::profile {
namespace {

const std::vector<bool> amount = {true};

void launch(GroupStatistics& statistics, std::uint32_t group, int times) {
  for (int i = 0; i < times; ++i) statistics.launched(group);
}

TEST(GroupStatistics, WantsTwoLaunchesOfEachGroup) {
  GroupStatistics statistics(1, 0.02);
  launch(statistics, 0, 10);
  EXPECT_TRUE(statistics.wants(0, 0));
  statistics.counted(0, 0, std::vector{5.0}, amount);
  EXPECT_TRUE(statistics.wants(0, 0));
  statistics.counted(0, 0, std::vector{5.0}, amount);
  EXPECT_FALSE(statistics.wants(0, 0));
  EXPECT_EQ(statistics.launches(), (std::vector<std::uint64_t>{10}));
}

TEST(GroupStatistics, AskedForAnyItWaitsForGroupsToComeAgain) {
  const auto every = [](std::uint32_t) { return true; };
  GroupStatistics statistics(1, 0.02);
  EXPECT_FALSE(statistics.wants_any(0, every));
  launch(statistics, 3, 1);
  EXPECT_TRUE(statistics.wants_any(0, every));
  EXPECT_FALSE(statistics.wants_any(0, [](std::uint32_t group) { return group != 3; }));
  statistics.counted(3, 0, std::vector{5.0}, amount);
  EXPECT_FALSE(statistics.wants_any(0, every));
  launch(statistics, 3, 1);
  EXPECT_TRUE(statistics.wants_any(0, every));
}

TEST(GroupStatistics, GivesUpAGroupThatNeverHasAllOfItsMetrics) {
  GroupStatistics statistics(1, 0.02);
  launch(statistics, 0, 100);
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(statistics.wants(0, 0));
    statistics.counted(0, 0, std::vector{5.0, std::nan("")}, {true, true});
  }
  EXPECT_FALSE(statistics.wants(0, 0));
}

// 100 launches of values 8 and 12: s^2 = 8, variance of the sum 100^2 x 8 / 2 x (1 - 2 / 100) =
// 39,200, its root 198 of 1000. Two more like them: s^2 = 16 / 3, 100^2 x 16 / 3 / 4 x 0.96 =
// 12,800.
TEST(GroupStatistics, CountsAgainWhatDiffers) {
  GroupStatistics statistics(1, 0.02);
  launch(statistics, 0, 100);
  launch(statistics, 1, 100);
  for (const double value : {8.0, 12.0}) {
    statistics.counted(0, 0, std::vector{value}, amount);
    statistics.counted(1, 0, std::vector{0.0}, amount);
  }
  statistics.look(0);
  EXPECT_NEAR(statistics.error(0), std::sqrt(39'200.0) / 1000.0, 1e-12);
  EXPECT_TRUE(statistics.wants(0, 0));
  EXPECT_FALSE(statistics.wants(1, 0));
  for (const double value : {8.0, 12.0}) statistics.counted(0, 0, std::vector{value}, amount);
  statistics.look(0);
  EXPECT_NEAR(statistics.error(0), std::sqrt(12'800.0) / 1000.0, 1e-12);
}

TEST(GroupStatistics, SharesAndRatesAreNeverUncertain) {
  GroupStatistics statistics(1, 0.02);
  launch(statistics, 0, 100);
  for (const double value : {10.0, 90.0}) statistics.counted(0, 0, std::vector{value}, {false});
  statistics.look(0);
  EXPECT_EQ(statistics.error(0), 0.0);
  EXPECT_FALSE(statistics.wants(0, 0));
}

TEST(CountingBudget, IsAShareOfTheTimeAndSomeOfItInAdvance) {
  CountingBudget budget(0.2, 0.35);
  budget.begin(100.0);
  EXPECT_TRUE(budget.allows(0.3, 100.0));
  budget.spend(0.3);
  EXPECT_FALSE(budget.allows(0.1, 100.0));
  EXPECT_FALSE(budget.allows(0.1, 101.9));  // 0.38 s
  EXPECT_TRUE(budget.allows(0.1, 102.1));   // 0.42 s
  EXPECT_DOUBLE_EQ(budget.spent_s(), 0.3);
  EXPECT_DOUBLE_EQ(budget.elapsed_s(102.0), 2.0);
}

}  // namespace
}  // namespace rooflab::profile
