#include <gtest/gtest.h>

#include <vector>

#include "rooflab/base/statistics.hpp"

namespace rooflab {
namespace {

using Samples = std::vector<double>;

// Ages at which men and women were diagnosed: the example of SciPy's manual page of mannwhitneyu,
// which prints U = 17 and p = 0.1111 (exact).
TEST(RankTest, ExampleOfScipy) {
  const Samples men = {19, 22, 16, 29, 24};
  const Samples women = {20, 11, 17, 12};
  const RankTest test = rank_test(men, women);
  EXPECT_DOUBLE_EQ(test.u, 17.0);
  EXPECT_TRUE(test.exact);
  EXPECT_NEAR(test.p_value, 1.0 / 9.0, 1e-12);
  const RankTest turned = rank_test(women, men);
  EXPECT_DOUBLE_EQ(turned.u, 3.0);
  EXPECT_DOUBLE_EQ(turned.p_value, test.p_value);
}

// All five below all five: one of the 252 arrangements at each end.
TEST(RankTest, ApartAltogether) {
  const RankTest test = rank_test(Samples{5, 4, 3, 2, 1}, Samples{6, 7, 8, 9, 10});
  EXPECT_DOUBLE_EQ(test.u, 0.0);
  EXPECT_NEAR(test.p_value, 2.0 / 252.0, 1e-12);
}

// U = 2 of 5 and 5: u = 0, 1, 2 arise in 1, 1 and 2 ways (partitions), so p = 2 * 4 / 252 = 0.0317:
// the tables' critical value at 5 % (Siegel, "Nonparametric Statistics", 1956, table K).
TEST(RankTest, CriticalValueOfTheTables) {
  const RankTest test = rank_test(Samples{1, 2, 3, 4, 7}, Samples{5, 6, 8, 9, 10});
  EXPECT_DOUBLE_EQ(test.u, 2.0);
  EXPECT_NEAR(test.p_value, 8.0 / 252.0, 1e-12);
}

// Ranks 1, 3, 3, 5.5 make U = 2.5; ties of three and of two, 30; variance 16/12 (9 - 30/56) =
// 11.2857; z = (5.5 - 0.5) / 3.35942 = 1.48835, two-sided 0.13666.
TEST(RankTest, TiesByTheNormalApproximation) {
  const RankTest test = rank_test(Samples{1, 2, 2, 3}, Samples{2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(test.u, 2.5);
  EXPECT_FALSE(test.exact);
  EXPECT_NEAR(test.p_value, 0.136658, 1e-6);
}

// 25 and 25 apart: variance 25 * 25 / 12 * 51 = 2656.25, z = 312 / 51.539 = 6.0537.
TEST(RankTest, ManySamplesByTheNormalApproximation) {
  Samples low;
  Samples high;
  for (int i = 0; i < 25; ++i) {
    low.push_back(i);
    high.push_back(100 + i);
  }
  const RankTest test = rank_test(low, high);
  EXPECT_FALSE(test.exact);
  EXPECT_NEAR(test.p_value, 1.41566e-9, 1e-13);
}

TEST(RankTest, EqualSamplesDifferInNothing) {
  EXPECT_DOUBLE_EQ(rank_test(Samples{1, 1, 1}, Samples{1, 1}).p_value, 1.0);
  EXPECT_DOUBLE_EQ(rank_test(Samples{1}, Samples{2}).p_value, 1.0);
}

// C(4, 2) = 6, C(6, 3) = 20, C(8, 4) = 70 arrangements.
TEST(LeastPValue, IsThatOfSetsFullyApart) {
  EXPECT_DOUBLE_EQ(least_p_value(2, 2), 2.0 / 6.0);
  EXPECT_DOUBLE_EQ(least_p_value(3, 3), rank_test(Samples{1, 2, 3}, Samples{4, 5, 6}).p_value);
  EXPECT_DOUBLE_EQ(least_p_value(4, 4), 2.0 / 70.0);
  EXPECT_DOUBLE_EQ(least_p_value(3, 4), least_p_value(4, 3));
}

}  // namespace
}  // namespace rooflab
