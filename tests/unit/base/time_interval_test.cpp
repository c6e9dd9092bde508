#include <gtest/gtest.h>

#include "rooflab/base/statistics.hpp"

namespace rooflab {
namespace {

TEST(TimeInterval, UnionsTouchOverlapAndHoldEachOther) {
  const IntervalSet set = union_of({{30, 40}, {0, 10}, {10, 20}, {2, 5}, {35, 50}});
  EXPECT_EQ(set, (IntervalSet{{0, 20}, {30, 50}}));
  EXPECT_EQ(total_ns(set), 40);
  EXPECT_TRUE(union_of({}).empty());
}

TEST(TimeInterval, IntersectionsAndDifferences) {
  const IntervalSet a{{0, 20}, {30, 50}, {60, 70}};
  const IntervalSet b{{5, 35}, {45, 46}, {48, 65}};
  EXPECT_EQ(intersection_of(a, b), (IntervalSet{{5, 20}, {30, 35}, {45, 46}, {48, 50}, {60, 65}}));
  EXPECT_EQ(difference_of(a, b), (IntervalSet{{0, 5}, {35, 45}, {46, 48}, {65, 70}}));
  EXPECT_EQ(difference_of(a, {}), a);
  EXPECT_TRUE(intersection_of(a, {}).empty());
  // One interval of b over two of a.
  EXPECT_EQ(difference_of(IntervalSet{{0, 4}, {6, 9}}, IntervalSet{{2, 8}}),
            (IntervalSet{{0, 2}, {8, 9}}));
}

TEST(TimeInterval, TotalWithinAWindowCutsBothEnds) {
  const IntervalSet set{{0, 20}, {30, 50}, {60, 70}};
  EXPECT_EQ(total_within_ns(set, {10, 65}), 10 + 20 + 5);
  EXPECT_EQ(total_within_ns(set, {20, 30}), 0);
  EXPECT_EQ(total_within_ns(set, {40, 40}), 0);
  EXPECT_EQ(total_within_ns({}, {0, 100}), 0);
}

}  // namespace
}  // namespace rooflab
