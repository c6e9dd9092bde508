#include "task/list_clock.hpp"

#include <gtest/gtest.h>

namespace rooflab::task {
namespace {

TEST(ListClock, TheFirstRunsOwnEstimateStandsForTheOthers) {
  ListClock clock(3);
  clock.begin(0, 100.0);
  EXPECT_EQ(clock.left_s(104.0, 0.0), 0.0);  // nothing is known
  // 4 s have passed and 6 are left, so each takes 10.
  EXPECT_DOUBLE_EQ(clock.left_s(104.0, 6.0), 26.0);
  EXPECT_DOUBLE_EQ(clock.done(104.0, 6.0), 0.4 / 3.0);
}

TEST(ListClock, TheMeanOfThoseThatEndedIsSteady) {
  ListClock clock(4);
  clock.begin(0, 0.0);
  clock.end(10.0);
  clock.begin(1, 10.0);
  clock.end(30.0);
  clock.begin(2, 30.0);
  // 15 s each; 5 have passed of the third: 10 + 15, whatever it says of itself.
  EXPECT_DOUBLE_EQ(clock.left_s(35.0, 0.0), 25.0);
  EXPECT_DOUBLE_EQ(clock.left_s(35.0, 300.0), 25.0);
  EXPECT_DOUBLE_EQ(clock.done(35.0, 300.0), (2.0 + 5.0 / 15.0) / 4.0);
  // One that takes longer than the others leaves these.
  EXPECT_DOUBLE_EQ(clock.left_s(60.0, 0.0), 15.0);
  EXPECT_DOUBLE_EQ(clock.done(60.0, 0.0), 3.0 / 4.0);
}

TEST(ListClock, ARunThatIsUnlikeTheOthersDoesNotCount) {
  ListClock clock(2);
  clock.begin(0, 0.0);
  clock.end(1.0, false);
  clock.begin(1, 1.0);
  EXPECT_DOUBLE_EQ(clock.left_s(3.0, 4.0), 4.0);
  clock.end(7.0);
  EXPECT_DOUBLE_EQ(clock.left_s(7.0, 0.0), 0.0);
  EXPECT_DOUBLE_EQ(clock.done(7.0, 0.0), 1.0);
}

TEST(ListClock, Line) {
  EXPECT_EQ(list_progress_line(0.25, "case", 1, 6, 40.0, "resnet18 on cpu: measure 40 %"),
            "[#####---------------] case 2 of 6, 40 s left: resnet18 on cpu: measure 40 %");
  EXPECT_EQ(list_progress_line(0.0, "part", 0, 2, 0.0, ""), "[--------------------] part 1 of 2");
  EXPECT_EQ(list_progress_line(1.0, "run", 0, 1, 150.0, "x"),
            "[####################] run 1 of 1, 2 min left: x");
}

TEST(ListClock, TimeLeft) {
  EXPECT_EQ(time_left(0.0), "");
  EXPECT_EQ(time_left(0.2), "1 s left");
  EXPECT_EQ(time_left(300.0), "5 min left");
  EXPECT_EQ(time_left(9000.0), "2.5 h left");
}

}  // namespace
}  // namespace rooflab::task
