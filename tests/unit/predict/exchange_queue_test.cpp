// All-reduces and kernels at the same time, in seconds, worked out by hand.

#include "predict/exchange_queue.hpp"

#include <gtest/gtest.h>

namespace rooflab::predict {
namespace {

constexpr double second_tolerance = 1e-12;

TEST(ExchangeQueue, WhatRunsByItselfTakesItsOwnTime) {
  ExchangeQueue queue;
  queue.add(10.0, 5.0);
  EXPECT_NEAR(queue.run(0.0, 8.0, {3.0, 3.0}), 8.0, second_tolerance);
  EXPECT_NEAR(queue.wait_for(0), 15.0, second_tolerance);
  EXPECT_EQ(queue.kernel_slowdown(), 1.0);
  EXPECT_EQ(queue.all_reduce_slowdown(), 1.0);
}

// From 4 on both run, the all-reduce's 2 s in 3: until 7. The kernel has done 4 + 1.5 of its 10.
TEST(ExchangeQueue, AnAllReduceEndsBesideAKernel) {
  ExchangeQueue queue;
  queue.add(4.0, 2.0);
  EXPECT_NEAR(queue.run(0.0, 10.0, {2.0, 1.5}), 11.5, second_tolerance);
  EXPECT_NEAR(queue.wait_for(0), 7.0, second_tolerance);
  EXPECT_NEAR(queue.kernel_slowdown(), 2.0, second_tolerance);
  EXPECT_NEAR(queue.all_reduce_slowdown(), 1.5, second_tolerance);
}

// The kernel takes 5 s, in which 2.5 of the all-reduce's 10 are done. It goes on alone until 7,
// 4.5 done; during the second kernel, of another sort, half a second is done in two: 5. The rest
// alone lasts until 14.
TEST(ExchangeQueue, AnAllReduceOutlastsKernelsOfTwoSorts) {
  ExchangeQueue queue;
  queue.add(0.0, 10.0);
  EXPECT_NEAR(queue.run(0.0, 4.0, {1.25, 2.0}), 5.0, second_tolerance);
  EXPECT_NEAR(queue.run(7.0, 2.0, {1.0, 4.0}), 9.0, second_tolerance);
  EXPECT_NEAR(queue.wait_for(0), 14.0, second_tolerance);
  EXPECT_NEAR(queue.kernel_slowdown(), 7.0 / 6.0, second_tolerance);
  EXPECT_NEAR(queue.all_reduce_slowdown(), 1.4, second_tolerance);
}

// The second waits for the first, the third for its own bucket. During the first two, until 5, the
// kernel does 2 of its 3 s; the third starts when it ends, at 6.
TEST(ExchangeQueue, AllReducesRunOneAfterTheOther) {
  ExchangeQueue queue;
  queue.add(0.0, 3.0);
  queue.add(1.0, 2.0);
  queue.add(6.0, 1.0);
  EXPECT_NEAR(queue.run(1.0, 3.0, {2.0, 1.0}), 6.0, second_tolerance);
  EXPECT_NEAR(queue.wait_for(0), 3.0, second_tolerance);
  EXPECT_NEAR(queue.wait_for(1), 5.0, second_tolerance);
  EXPECT_NEAR(queue.wait_for(2), 7.0, second_tolerance);
  EXPECT_EQ(queue.size(), 3U);
}

}  // namespace
}  // namespace rooflab::predict
