#include "data/random_stream.hpp"

#include <gtest/gtest.h>

namespace rooflab::data {
namespace {

// Rosetta Code, "Pseudo-random numbers/Splitmix64".
TEST(RandomStream, GivesThePublishedNumbers) {
  RandomStream random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
  EXPECT_EQ(random.next(), 4593380528125082431U);
}

TEST(RandomStream, StaysInItsRange) {
  RandomStream random(1);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double value = random.between(2, 4);
    ASSERT_GE(value, 2);
    ASSERT_LT(value, 4);
    sum += value;
    const std::int64_t die = random.below(6);
    ASSERT_TRUE(die >= 0 && die < 6);
  }
  // The mean of 10,000 has a deviation of 2 / sqrt(12) / 100 = 0.006.
  EXPECT_NEAR(sum / 10000, 3, 0.03);
}

TEST(RandomStream, DerivedSeedsDiffer) {
  EXPECT_NE(derived_seed(1, 0), derived_seed(0, 1));
  EXPECT_NE(derived_seed(1, 0), derived_seed(1, 1));
}

}  // namespace
}  // namespace rooflab::data
