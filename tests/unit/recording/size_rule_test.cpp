// Numbers of steps in other sizes, worked out by hand.

#include "recording/size_rule.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace rooflab::recording {
namespace {

constexpr std::int64_t out_of_range = std::int64_t{1} << 60;

/// From (2, 8), (4, 8) and (2, 12).
SizeRule rule(std::int64_t batch, std::int64_t context) {
  return SizeRule({.base = {2, 8}, .batch = 4, .context = 12}, {batch, context});
}

TEST(SizeRule, ConstantsStay) {
  EXPECT_EQ(rule(5, 100).at({7, 7, 7}), 7);
  EXPECT_EQ(rule(5, 100).at({-1, -1, -1}), -1);
}

// 3 b: 6, 12. c + 1: 9, 13. b (c + 1): 18, 36, 26.
TEST(SizeRule, LinesAndTheirProducts) {
  EXPECT_EQ(rule(5, 100).at({6, 12, 6}), 15);
  EXPECT_EQ(rule(5, 100).at({9, 9, 13}), 101);
  EXPECT_EQ(rule(5, 100).at({18, 36, 26}), 505);
  EXPECT_EQ(rule(1, 1).at({18, 36, 26}), 2);
  EXPECT_EQ(rule(2, 12).at({18, 36, 26}), 26);
  EXPECT_EQ(rule(4, 8).at({18, 36, 26}), 36);
}

// c c: 64, 144. b c c: 128, 256, 288. b b: 4, 16.
TEST(SizeRule, Squares) {
  EXPECT_EQ(rule(5, 100).at({64, 64, 144}), 10'000);
  EXPECT_EQ(rule(5, 100).at({128, 256, 288}), 50'000);
  EXPECT_EQ(rule(5, 100).at({4, 16, 4}), 25);
}

// (c - 9) c is -8 and 36: from below zero.
TEST(SizeRule, NumbersBelowZero) {
  EXPECT_EQ(rule(2, 10).at({-8, -8, 36}), 14);  // on the line
  EXPECT_EQ(rule(2, 4).at({1, 1, 5}), -3);
}

// b / 2: 1, 2; at batch 3 1.5. 4 and 6 of both: (5 * 5) / 4 at (3, 10).
TEST(SizeRule, WhatIsNotWhole) {
  EXPECT_EQ(rule(3, 8).at({1, 2, 1}), std::nullopt);
  EXPECT_EQ(rule(3, 10).at({4, 6, 6}), std::nullopt);
  EXPECT_EQ(rule(3, 10).at({0, 2, 4}), std::nullopt);  // no product begins at 0
  EXPECT_EQ(rule(3, 8).at({0, 2, 4}), 1);
}

TEST(SizeRule, OutOfRange) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(rule(most, 8).at({6, 12, 6}), out_of_range);
  EXPECT_EQ(rule(most, most).at({18, 36, 26}), out_of_range);
  EXPECT_EQ(rule(most, most).at({4, 16, 4}), out_of_range);
  EXPECT_EQ(rule(most, 8).at({12, 6, 12}), -out_of_range);
  EXPECT_EQ(rule(3, 8).at({-most, most, -most}), 0);
}

// Without a recording of another context nothing changes with it.
TEST(SizeRule, OneOfBothAlone) {
  const SizeRule batch({.base = {2, std::nullopt}, .batch = 4, .context = std::nullopt},
                       {5, std::nullopt});
  EXPECT_EQ(batch.at({6, 12, 6}), 15);
  EXPECT_NEAR(batch.at(0.5, 1.0, 0.5), 1.25, 1e-12);
  EXPECT_NEAR(rule(5, 16).at(1.0, 2.0, 3.0), 2.5 * 5.0, 1e-12);
}

}  // namespace
}  // namespace rooflab::recording
