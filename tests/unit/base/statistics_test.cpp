#include "rooflab/base/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace rooflab {
namespace {

/// 1, 2, ..., count: the k-th smallest sample is k.
std::vector<double> ranks(std::size_t count) {
  std::vector<double> samples(count);
  std::iota(samples.begin(), samples.end(), 1.0);
  return samples;
}

// Hyndman and Fan's type 7, NumPy's default: at (n - 1) * fraction, counted from 0.
TEST(Quantile, IsLinearBetweenNeighbours) {
  const std::vector<double> samples = {40.0, 10.0, 30.0, 20.0};
  EXPECT_DOUBLE_EQ(quantile(samples, 0.0), 10.0);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.25), 17.5);  // 0.75 of the way from 10 to 20
  EXPECT_DOUBLE_EQ(quantile(samples, 0.5), 25.0);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.9), 37.0);  // 2.7: 0.7 of the way from 30 to 40
  EXPECT_DOUBLE_EQ(quantile(samples, 1.0), 40.0);
}

TEST(Quantile, OfOneAndTwoSamples) {
  const std::vector<double> one = {3.0};
  EXPECT_EQ(quantile(one, 0.0), 3.0);
  EXPECT_EQ(quantile(one, 0.95), 3.0);
  const std::vector<double> two = {4.0, 2.0};
  EXPECT_DOUBLE_EQ(quantile(two, 0.95), 3.9);
}

TEST(Quantile, HitsASampleExactly) {
  const std::vector<double> samples = ranks(101);
  for (int percent = 0; percent <= 100; ++percent) {
    EXPECT_NEAR(quantile(samples, percent / 100.0), 1.0 + percent, 1e-12);
  }
}

// 2 4 4 4 5 5 7 9: mean 5, squares of the differences 9 1 1 1 0 0 4 16 = 32.
TEST(Statistics, OfEightSamples) {
  const Statistics statistics = statistics_of(std::vector<double>{9, 2, 4, 5, 4, 5, 4, 7});
  EXPECT_EQ(statistics.count, 8U);
  EXPECT_EQ(statistics.min, 2.0);
  EXPECT_EQ(statistics.max, 9.0);
  EXPECT_DOUBLE_EQ(statistics.mean, 5.0);
  EXPECT_DOUBLE_EQ(statistics.median, 4.5);
  EXPECT_DOUBLE_EQ(statistics.p95, 8.3);                        // 6.65: 0.65 of the way from 7 to 9
  EXPECT_NEAR(statistics.deviation, 2.138089935299395, 1e-14);  // sqrt(32 / 7)
  EXPECT_NEAR(statistics.variation, 0.4276179870598790, 1e-14);  // that / 5
}

TEST(Statistics, OfOneSample) {
  const Statistics statistics = statistics_of(std::vector<double>{0.25});
  EXPECT_EQ(statistics.count, 1U);
  EXPECT_EQ(statistics.deviation, 0.0);
  EXPECT_EQ(statistics.variation, 0.0);
  EXPECT_EQ(statistics.p95, 0.25);
  EXPECT_EQ(statistics.median_low, 0.25);
  EXPECT_EQ(statistics.median_high, 0.25);
}

TEST(Statistics, VariationOfAMeanOfZeroOrLess) {
  const Statistics zero = statistics_of(std::vector<double>{-1.0, 1.0});
  EXPECT_DOUBLE_EQ(zero.deviation, 1.4142135623730951);
  EXPECT_EQ(zero.variation, 0.0);
  const Statistics negative = statistics_of(std::vector<double>{-1.0, -3.0});
  EXPECT_DOUBLE_EQ(negative.variation, 0.7071067811865476);  // sqrt(2) / 2, never negative
}

// A common offset must not drown the deviation: 1e9 + {4, 7, 13, 16} has a variance of 30 (the
// standard example against the sum-of-squares formula).
TEST(Statistics, KeepSmallDifferencesOfLargeNumbers) {
  const Statistics statistics =
      statistics_of(std::vector<double>{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16});
  EXPECT_NEAR(statistics.deviation * statistics.deviation, 30.0, 1e-9);
}

struct MedianRanks {
  std::size_t count;
  double low;
  double high;
};

// One more than the critical values of the two-sided sign test at 5 %, as tables of nonparametric
// statistics print them (for 20: 5; for 25: 7; for 50: 17; for 100: 39). 2000 by exact integer
// arithmetic: 2 * sum of C(2000, i) for i < 956 is 0.0466 * 2^2000, one term more is 0.0517.
TEST(MedianInterval, HasTheRanksOfTheTables) {
  constexpr MedianRanks table[] = {
      {6, 1, 6},    {7, 1, 7},    {8, 1, 8},    {9, 2, 8},     {10, 2, 9},       {11, 2, 10},
      {12, 3, 10},  {15, 4, 12},  {17, 5, 13},  {20, 6, 15},   {25, 8, 18},      {30, 10, 21},
      {40, 14, 27}, {50, 18, 33}, {60, 22, 39}, {100, 40, 61}, {2000, 956, 1045}};
  for (const MedianRanks& row : table) {
    std::vector<double> samples = ranks(row.count);
    std::ranges::reverse(samples);
    const Statistics statistics = statistics_of(samples);
    EXPECT_EQ(statistics.median_low, row.low) << row.count << " samples";
    EXPECT_EQ(statistics.median_high, row.high) << row.count << " samples";
  }
}

TEST(MedianInterval, OfFewSamplesIsAllOfThem) {
  for (std::size_t count = 2; count < 6; ++count) {
    const Statistics statistics = statistics_of(ranks(count));
    EXPECT_EQ(statistics.median_low, 1.0) << count << " samples";
    EXPECT_EQ(statistics.median_high, static_cast<double>(count)) << count << " samples";
  }
}

}  // namespace
}  // namespace rooflab
