#include "rooflab/base/quantity.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(CheckedArithmetic, ExactUpToTheLimit) {
  EXPECT_EQ(checked_add(largest - 1, 1), largest);
  EXPECT_EQ(checked_multiply(largest / 7, 7), 9'223'372'036'854'775'807);
  EXPECT_EQ(checked_product(std::array<std::int64_t, 3>{2, 3, 7}), 42);
  EXPECT_EQ(checked_product({}), 1);
}

TEST(CheckedArithmetic, ThrowsBeyondIt) {
  EXPECT_THROW((void)checked_add(largest, 1), Error);
  EXPECT_THROW((void)checked_multiply(largest, 2), Error);
  EXPECT_THROW((void)checked_product(
                   std::array<std::int64_t, 2>{std::int64_t{1} << 32, std::int64_t{1} << 31}),
               Error);
}

TEST(Count, AddsAndScales) {
  Bytes total(10);
  total += Bytes(5);
  EXPECT_EQ(total, Bytes(15));
  total -= Bytes(3);
  EXPECT_EQ((total * 4).value(), 48);
  EXPECT_EQ((Bytes(1) + Bytes(2)).as_double(), 3.0);
  EXPECT_LT(Bytes(1), Bytes(2));
  EXPECT_THROW((void)(Flops(largest) + Flops(1)), Error);
  EXPECT_THROW((void)(Flops(largest) * 2), Error);
}

TEST(Flops, TwoForEachMac) {
  EXPECT_EQ(flops_of(Macs(1'814'073'344)), Flops(3'628'146'688));  // ResNet-18
  EXPECT_THROW((void)flops_of(Macs(largest)), Error);
}

TEST(Seconds, Adds) {
  Seconds time{0.25};
  time += Seconds{0.5};
  EXPECT_EQ((time + Seconds{0.25}).value, 1.0);
  EXPECT_LT(Seconds{0.1}, Seconds{0.2});
}

}  // namespace
}  // namespace rooflab
