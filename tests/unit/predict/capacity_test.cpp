#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/predict/limit.hpp"

namespace rooflab::predict {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Every boundary from every start, against the definition.
TEST(Capacity, FindsTheLargestCountFromAnywhere) {
  for (std::int64_t boundary = 1; boundary <= 70; ++boundary) {
    for (std::int64_t start = 1; start <= 80; start += 7) {
      const LargestCount found = largest_count(
          {1, 80}, [&](std::int64_t count) { return count <= boundary; },
          SearchStart{start, start % 3});
      EXPECT_EQ(found.count, boundary) << "from " << start;
      EXPECT_FALSE(found.end_of_range);
    }
  }
}

// Up to 5919 all hold, then every fifth does not, and from 6310 on none does.
TEST(Capacity, ARaggedBoundaryHasTwoEnds) {
  const auto holds = [](std::int64_t count) {
    return count < 5920 || (count < 6310 && count % 5 != 0);
  };
  for (const std::int64_t start : {1, 5000, 7000, 11000}) {
    const LargestCount found = every_count_up_to({1, {}}, holds, SearchStart{start, 64});
    ASSERT_TRUE(found.count.has_value());
    EXPECT_FALSE(holds(*found.count + 1)) << start;
    EXPECT_TRUE(holds(*found.count)) << start;
    ASSERT_TRUE(found.further.has_value()) << start;
    EXPECT_GT(*found.further, *found.count);
    EXPECT_TRUE(holds(*found.further));
  }
  // Another algorithm from 100 to 199: the boundary lies before it.
  const LargestCount gap = every_count_up_to(
      {1, {}}, [](std::int64_t count) { return count < 100 || (count >= 200 && count <= 500); },
      SearchStart{400, 8});
  EXPECT_EQ(gap.count, 99);
  EXPECT_EQ(gap.further, 500);
  // A sharp one is the same, and has no other end.
  const LargestCount sharp =
      every_count_up_to({1, {}}, [](std::int64_t count) { return count <= 777; });
  EXPECT_EQ(sharp.count, 777);
  EXPECT_FALSE(sharp.further.has_value());
}

TEST(Capacity, AsksLittle) {
  int asked = 0;
  const LargestCount found = largest_count({1, {}}, [&](std::int64_t count) {
    ++asked;
    return count <= 1'000'000;
  });
  EXPECT_EQ(found.count, 1'000'000);
  EXPECT_LE(asked, 42);  // 20 of doubling, 20 of halving
}

// 1000 + 3 count <= 3 * 10^9: the guess is right, and so few questions are left.
TEST(Capacity, WhatGrowsInProportionIsFoundAtOnce) {
  constexpr double room = 3e9;
  int asked = 0;
  const auto used = [&](std::int64_t count) -> std::optional<double> {
    ++asked;
    const double bytes = 1000.0 + 3.0 * static_cast<double>(count);
    return bytes <= room ? std::optional(bytes) : std::nullopt;
  };
  const std::optional<SearchStart> start = proportional_start({1, {}}, used, room);
  ASSERT_TRUE(start.has_value());
  const LargestCount found = largest_count(
      {1, {}}, [&](std::int64_t count) { return used(count).has_value(); }, start);
  EXPECT_EQ(found.count, 999'999'666);
  EXPECT_LE(asked, 40);
}

// Constant use, a step, one that never ends, none at all: a beginning within the range, or none.
TEST(Capacity, ABeginningLiesInTheRange) {
  const auto begin = [](const CountRange& range, auto used) {
    return proportional_start(
        range, [&](std::int64_t count) -> std::optional<double> { return used(count); }, 1000.0);
  };
  EXPECT_EQ(begin({3, 40}, [](std::int64_t) { return 1.0; })->count, 3);
  EXPECT_EQ(begin({1, 400}, [](std::int64_t count) { return count < 70 ? 1.0 : 900.0; })->count,
            64);
  EXPECT_GE(begin({1, {}}, [](std::int64_t) { return 1.0; })->count, 1);
  EXPECT_FALSE(
      begin({1, {}}, [](std::int64_t) -> std::optional<double> { return {}; }).has_value());
}

TEST(Capacity, SaysWhatEndedTheSearch) {
  const LargestCount end = largest_count({1, 64}, [](std::int64_t) { return true; });
  EXPECT_EQ(end.count, 64);
  EXPECT_TRUE(end.end_of_range);
  EXPECT_FALSE(largest_count({5, 9}, [](std::int64_t) { return false; }).count.has_value());
  EXPECT_THROW((void)largest_count({5, 4}, [](std::int64_t) { return true; }), Error);
}

// Beyond 64 bits nothing fits; other errors are not swallowed.
TEST(Capacity, ACountThatOverflowsDoesNotFit) {
  const LargestCount found = largest_count({1, {}}, [](std::int64_t count) {
    (void)checked_multiply(count, std::int64_t{1} << 50);
    return true;
  });
  EXPECT_EQ(found.count, (std::int64_t{1} << 13) - 1);
  EXPECT_THROW((void)largest_count(
                   {1, 9}, [](std::int64_t) -> bool { throw Error(ErrorKind::usage, "wrong"); }),
               Error);
}

// A network that only runs with the batch of its file: that 2 is too much would be a wrong answer.
TEST(Capacity, WhatCannotBeRebatchedIsAnErrorAndNoBoundary) {
  const auto of_one = [](std::int64_t count) {
    if (count != 1) throw Error(ErrorKind::input, "node 'gather' fixes the batch");
    return true;
  };
  EXPECT_THROW((void)largest_count({1, {}}, of_one), Error);
  EXPECT_THROW((void)largest_count({1, 8}, of_one, SearchStart{4, 1}), Error);
  EXPECT_EQ(largest_count({1, 1}, of_one).count, 1);
  EXPECT_THROW((void)proportional_start(
                   {1, {}},
                   [&](std::int64_t count) -> std::optional<double> {
                     return of_one(count) ? std::optional(1.0) : std::nullopt;
                   },
                   1000.0),
               Error);
}

// 3 a + 2 b <= 103: together 20 and 20 make 100; then one more a (103) or b (102); alone 33 (99 +
// 2) and 50 (3 + 100).
TEST(Capacity, FrontierOfTwo) {
  const std::array<std::string, 2> names = {"a", "b"};
  const std::array<CountRange, 2> ranges = {CountRange{1, {}}, CountRange{1, {}}};
  const std::vector<FrontierPoint> points = frontier(
      names, ranges,
      [](std::span<const std::int64_t> counts) { return 3 * counts[0] + 2 * counts[1] <= 103; });
  ASSERT_EQ(points.size(), 5U);
  EXPECT_EQ(points[0].varied, "together");
  EXPECT_THAT(points[0].counts, ElementsAre(20, 20));
  EXPECT_EQ(points[1].varied, "a further");
  EXPECT_THAT(points[1].counts, ElementsAre(21, 20));
  EXPECT_THAT(points[2].counts, ElementsAre(20, 21));
  EXPECT_EQ(points[3].varied, "a alone");
  EXPECT_THAT(points[3].counts, ElementsAre(33, 1));
  EXPECT_THAT(points[4].counts, ElementsAre(1, 50));
}

// A guess that is right costs two questions a point; a wrong one does no harm.
TEST(Capacity, FrontierFromAnExpectedOne) {
  const std::array<std::string, 2> names = {"a", "b"};
  const std::array<CountRange, 2> ranges = {CountRange{1, {}}, CountRange{1, {}}};
  int asked = 0;
  const auto within = [&asked](std::int64_t limit) {
    return [&asked, limit](std::span<const std::int64_t> counts) {
      ++asked;
      return 3 * counts[0] + 2 * counts[1] <= limit;
    };
  };
  const std::vector<FrontierPoint> expected = frontier(names, ranges, within(103));
  asked = 0;
  const std::vector<FrontierPoint> again = frontier(names, ranges, within(103), expected);
  EXPECT_EQ(asked, 10);
  EXPECT_THAT(again[0].counts, ElementsAre(20, 20));
  for (const std::int64_t limit : {5, 60, 99, 105, 400}) {
    const auto plain = frontier(names, ranges, within(limit));
    const auto guided = frontier(names, ranges, within(limit), expected);
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(guided[i].counts, plain[i].counts);
  }
}

TEST(Capacity, FrontierWithinRanges) {
  const std::array<std::string, 2> names = {"a", "b"};
  const std::array<CountRange, 2> ranges = {CountRange{1, 4}, CountRange{1, 10}};
  const std::vector<FrontierPoint> points =
      frontier(names, ranges,
               [](std::span<const std::int64_t> counts) { return counts[0] + counts[1] <= 12; });
  EXPECT_THAT(points[0].counts, ElementsAre(4, 8));
  EXPECT_THAT(points[2].counts, ElementsAre(4, 8));
  EXPECT_THAT(points[3].counts, ElementsAre(4, 1));
  EXPECT_TRUE(points[3].end_of_range);
  const std::vector<FrontierPoint> none =
      frontier(names, ranges, [](std::span<const std::int64_t>) { return false; });
  ASSERT_EQ(none.size(), 1U);
  EXPECT_THAT(none[0].counts, IsEmpty());
}

TEST(Capacity, FrontierOfOneIsAPoint) {
  const std::array<std::string, 1> names = {"batch"};
  const std::array<CountRange, 1> ranges = {CountRange{1, {}}};
  const std::vector<FrontierPoint> points =
      frontier(names, ranges, [](std::span<const std::int64_t> counts) { return counts[0] <= 77; });
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].varied, "batch");
  EXPECT_THAT(points[0].counts, ElementsAre(77));
}

// What takes batch * (100 + context) of 10,000: batch 50 at context 100, context 4900 at batch 2,
// and 9900, 2400, 525 and 56 at batches 1, 4, 16 and 64 (64 is beyond 50).
TEST(SizeFrontier, EachByItselfAndTheSecondAtSomeOfTheFirst) {
  const std::vector<std::string> names = {"batch", "context"};
  const std::vector<CountRange> ranges(2);
  const std::vector<std::int64_t> given = {2, 100};
  const auto holds = [](std::span<const std::int64_t> counts) {
    return counts[0] * (100 + counts[1]) <= 10'000;
  };
  const std::vector<FrontierPoint> points = size_frontier(names, ranges, given, holds);
  const auto text = [](const FrontierPoint& point) {
    return format("{}: {} {}", point.varied, point.counts.at(0), point.counts.at(1));
  };
  std::vector<std::string> lines;
  for (const FrontierPoint& point : points) lines.push_back(text(point));
  EXPECT_THAT(lines,
              testing::ElementsAre("batch: 50 100", "context: 2 4900", "context at batch 1: 1 9900",
                                   "context at batch 4: 4 2400", "context at batch 16: 16 525"));
  // Another boundary, looked for from there on, has the same batches, also where nothing holds.
  const auto less = [](std::span<const std::int64_t> counts) {
    return counts[0] * (100 + counts[1]) <= 1'000;
  };
  const std::vector<FrontierPoint> smaller = size_frontier(names, ranges, given, less, points);
  ASSERT_EQ(smaller.size(), points.size());
  EXPECT_EQ(text(smaller[0]), "batch: 5 100");
  EXPECT_EQ(text(smaller[2]), "context at batch 1: 1 900");
  EXPECT_TRUE(smaller[4].counts.empty());  // 16 * 101 is too much
}

}  // namespace
}  // namespace rooflab::predict
