#include "rooflab/schedule/strides.hpp"

#include <gtest/gtest.h>

namespace rooflab::schedule {
namespace {

using graph::Shape;

TEST(Strides, ContiguousAndChannelsLastOfAnImage) {
  const Shape shape{2, 3, 4, 5};
  EXPECT_EQ(contiguous_strides(shape), (Strides{60, 20, 5, 1}));
  EXPECT_EQ(channels_last_strides(shape), (Strides{60, 1, 15, 3}));
  EXPECT_EQ(channels_last_strides({2, 3, 4, 5, 6}), (Strides{360, 1, 90, 18, 3}));
  EXPECT_EQ(contiguous_strides({}), Strides{});
}

TEST(Strides, ExtentsOfOneDoNotMatterForContiguity) {
  EXPECT_TRUE(is_contiguous({2, 1, 3}, {3, 999, 1}));
  EXPECT_FALSE(is_contiguous({2, 2, 3}, {6, 999, 1}));
}

// PyTorch's suggest_memory_format: 1x1 weights and single-channel images lie in both orders at once
// and count as contiguous unless their strides were made channels-last.
TEST(Strides, ChannelsLastIsToldFromContiguous) {
  EXPECT_TRUE(is_channels_last({2, 3, 4, 5}, {60, 1, 15, 3}));
  EXPECT_FALSE(is_channels_last({2, 3, 4, 5}, {60, 20, 5, 1}));
  EXPECT_FALSE(is_channels_last({64, 16, 1, 1}, {16, 1, 1, 1}));   // contiguous 1x1 weight
  EXPECT_TRUE(is_channels_last({64, 16, 1, 1}, {16, 1, 16, 16}));  // the same, made channels-last
  EXPECT_FALSE(is_channels_last({8, 1, 1, 1}, {1, 1, 1, 1}));
  EXPECT_FALSE(is_channels_last({96, 1, 7, 7}, {49, 49, 7, 1}));  // contiguous depthwise weight
  EXPECT_FALSE(is_channels_last({2, 3}, {1, 2}));
}

TEST(Strides, NamesOfMemoryFormats) {
  EXPECT_EQ(memory_format_name({2, 3, 4, 5}, {60, 20, 5, 1}), "contiguous");
  EXPECT_EQ(memory_format_name({2, 3, 4, 5}, {60, 1, 15, 3}), "channels_last");
  EXPECT_EQ(memory_format_name({2, 3}, {1, 2}), "strided");
}

TEST(Strides, DenseMeansEveryElementOnce) {
  EXPECT_TRUE(is_dense({2, 3}, {1, 2}));
  EXPECT_FALSE(is_dense({2, 3}, {6, 1}));  // gaps
  EXPECT_FALSE(is_dense({2, 3}, {0, 1}));  // repeats
}

TEST(Strides, ViewsOfContiguousData) {
  EXPECT_EQ(view_strides({2, 3, 4}, {12, 4, 1}, {6, 4}), (Strides{4, 1}));
  EXPECT_EQ(view_strides({2, 3, 4}, {12, 4, 1}, {2, 1, 12}), (Strides{12, 12, 1}));
  EXPECT_EQ(view_strides({}, {}, {1, 1}), (Strides{1, 1}));
}

// 2x4x3 with the last two dimensions swapped in memory: they cannot merge, but 4 can be split.
TEST(Strides, ViewsOfTransposedData) {
  EXPECT_EQ(view_strides({2, 4, 3}, {12, 1, 4}, {2, 12}), std::nullopt);
  EXPECT_EQ(view_strides({2, 4, 3}, {12, 1, 4}, {2, 2, 2, 3}), (Strides{12, 2, 1, 4}));
  EXPECT_EQ(view_strides({3, 2}, {1, 3}, {6}), std::nullopt);
}

TEST(Strides, ViewsOfRepeatedData) {
  EXPECT_EQ(view_strides({4, 3}, {0, 1}, {12}), std::nullopt);
  EXPECT_EQ(view_strides({4, 3}, {0, 1}, {2, 2, 3}), (Strides{0, 0, 1}));
}

TEST(Strides, ElementwiseKeepsTheFirstOperandsOrder) {
  const Shape shape{2, 3, 4, 5};
  const Strides contiguous = contiguous_strides(shape);
  const Strides last = channels_last_strides(shape);
  const StridedOperand first_last[] = {{&shape, &last}, {&shape, &contiguous}};
  EXPECT_EQ(elementwise_strides(first_last, shape), last);
  const StridedOperand first_contiguous[] = {{&shape, &contiguous}, {&shape, &last}};
  EXPECT_EQ(elementwise_strides(first_contiguous, shape), contiguous);
}

// A scale [C, 1, 1] times a channels-last activation: the scale cannot tell the dimensions apart.
TEST(Strides, ABroadcastFirstOperandLeavesTheOrderToTheSecond) {
  const Shape scale{3, 1, 1};
  const Shape shape{2, 3, 4, 5};
  const Strides scale_strides{1, 1, 1};
  const Strides last = channels_last_strides(shape);
  const StridedOperand operands[] = {{&scale, &scale_strides}, {&shape, &last}};
  EXPECT_EQ(elementwise_strides(operands, shape), last);
}

// The gradient of a mean: 8x768x1x1 repeated over 7x7 becomes contiguous when it is divided.
TEST(Strides, RepeatedDimensionsAreWrittenInTheirOrder) {
  const Shape shape{8, 768, 7, 7};
  const Strides repeated{768, 1, 0, 0};
  const StridedOperand operand[] = {{&shape, &repeated}};
  EXPECT_EQ(elementwise_strides(operand, shape), (Strides{37632, 49, 7, 1}));
}

}  // namespace
}  // namespace rooflab::schedule
