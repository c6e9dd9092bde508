#include <gtest/gtest.h>

#include "stream_kernels.hpp"

namespace rooflab::probe_worker {
namespace {

// The words are 2654435761 i modulo 2^32: 0, 2654435761, 1013904226, 3668339987, 2027808452.
TEST(StreamPattern, SumIsThatOfItsWords) {
  EXPECT_EQ(pattern_sum(1), 0U);
  EXPECT_EQ(pattern_sum(2), 2654435761U);
  EXPECT_EQ(pattern_sum(3), 3668339987U);  // 2654435761 * 3 = 7963307283 = 2^32 + 3668339987
  EXPECT_EQ(pattern_sum(4), 3041712678U);  // 2654435761 * 6 = 15926614566 = 3 * 2^32 + ...
  EXPECT_EQ(pattern_sum(5), 774553834U);   // 2654435761 * 10 = 26544357610 = 6 * 2^32 + ...
}

TEST(StreamPattern, LongArraysDoNotOverflow) {
  // 2^32 words: their indices sum up to 2^31 (2^32 - 1), which is -2^31 = 2^31 modulo 2^32; an odd
  // factor leaves that.
  EXPECT_EQ(pattern_sum(std::size_t{1} << 32U), 0x80000000U);
}

}  // namespace
}  // namespace rooflab::probe_worker
