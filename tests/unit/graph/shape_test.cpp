#include "rooflab/graph/shape.hpp"

#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"

namespace rooflab::graph {
namespace {

TEST(Shape, Elements) {
  EXPECT_EQ((Shape{256, 3, 224, 224}).elements(), 38'535'168);
  EXPECT_EQ(Shape{}.elements(), 1);
  EXPECT_EQ((Shape{7, 0, 3}).elements(), 0);
}

TEST(Shape, ElementsBeyond64BitsAreAnError) {
  constexpr std::int64_t large = std::int64_t{1} << 32;
  EXPECT_THROW((void)(Shape{large, large}).elements(), Error);
  EXPECT_EQ((Shape{large, large, 0}).elements(), 0);
  EXPECT_EQ((Shape{large, large / 4, 1}).elements(), std::int64_t{1} << 62);
}

TEST(Shape, Text) {
  EXPECT_EQ((Shape{256, 3, 224, 224}).to_string(), "256x3x224x224");
  EXPECT_EQ((Shape{7}).to_string(), "7");
  EXPECT_EQ(Shape{}.to_string(), "scalar");
}

TEST(Shape, CountsFromTheEnd) {
  const Shape shape{2, 3, 5};
  EXPECT_EQ(shape.from_end(1), 5);
  EXPECT_EQ(shape.from_end(3), 2);
}

TEST(Broadcast, MatchesFromTheEnd) {
  EXPECT_EQ(broadcast({8, 1, 6, 1}, {7, 1, 5}), (Shape{8, 7, 6, 5}));
  EXPECT_EQ(broadcast({}, {3}), (Shape{3}));
  EXPECT_EQ(broadcast({1}, {0}), (Shape{0}));
  EXPECT_EQ(broadcast({2, 3}, {2, 3}), (Shape{2, 3}));
}

TEST(Broadcast, RefusesOtherExtents) {
  EXPECT_THROW((void)broadcast({2, 3}, {2}), Error);
  EXPECT_THROW((void)broadcast({0}, {2}), Error);
}

}  // namespace
}  // namespace rooflab::graph
