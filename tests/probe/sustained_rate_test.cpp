#include "sustained_rate.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rooflab::probe_worker {
namespace {

TEST(SustainedRate, IsOfTheEnd) {
  // The last three pieces take 1 s together; the quick ones before them do not count.
  const std::vector<double> seconds = {0.1, 0.1, 0.25, 0.25, 0.5};
  const device::MeasuredFigure figure =
      sustained_rate("sustained.tf32_tensor", "FLOP/s", 10.0, seconds, 1.0, "8192");
  EXPECT_EQ(figure.value, 30.0);
  EXPECT_EQ(figure.least, 20.0);
  EXPECT_EQ(figure.most, 40.0);
  EXPECT_EQ(figure.repetitions, 3);
  EXPECT_EQ(figure.name, "sustained.tf32_tensor");
}

TEST(SustainedRate, TakesAllOfAShortRun) {
  const std::vector<double> seconds = {0.25, 0.25};
  EXPECT_EQ(sustained_rate("x", "FLOP/s", 10.0, seconds, 1.0, "").value, 40.0);
}

TEST(SustainedRate, TakesALongLastPiece) {
  const std::vector<double> seconds = {1.0, 4.0};
  const device::MeasuredFigure figure = sustained_rate("x", "FLOP/s", 10.0, seconds, 1.0, "");
  EXPECT_EQ(figure.value, 2.5);
  EXPECT_EQ(figure.repetitions, 1);
}

}  // namespace
}  // namespace rooflab::probe_worker
