#include "repetitions.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rooflab::probe_worker {
namespace {

/// Gives the times in turn, then the last one forever; counts how often it was asked.
struct Times {
  std::vector<double> times;
  std::size_t asked = 0;

  double next() {
    const std::size_t i = asked++;
    return times[i < times.size() ? i : times.size() - 1];
  }
};

TEST(Repetitions, AreMeasuredOnceTwoWindowsAgree) {
  // Windows of three have the medians 3, 2 and 2: the third agrees with the second.
  Times times{{3.0, 3.0, 3.0, 2.0, 2.0, 9.0, 2.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0}};
  const Statistics found = repeat([&] { return times.next(); },
                                  {.warm_up_s = 100.0, .window = 3, .least = 4, .measured_s = 0.0});
  EXPECT_EQ(times.asked, 9U + 4U);
  EXPECT_EQ(found.count, 4U);
  EXPECT_EQ(found.median, 1.0);
  EXPECT_EQ(found.max, 1.0);
}

TEST(Repetitions, WarmUpEndsWithItsTime) {
  Times times{{1.0, 2.0, 4.0, 8.0, 16.0, 32.0}};  // never twice alike; 1 + 2 + 4 reach 7
  const Statistics found = repeat([&] { return times.next(); },
                                  {.warm_up_s = 7.0, .window = 1, .least = 1, .measured_s = 0.0});
  EXPECT_EQ(times.asked, 4U);
  EXPECT_EQ(found.median, 8.0);
}

TEST(Repetitions, GoOnForTheirTimeButNotForever) {
  Times half{{0.5}};
  EXPECT_EQ(
      repeat([&] { return half.next(); }, {.warm_up_s = 0.0, .least = 2, .measured_s = 3.0}).count,
      6U);
  Times tiny{{1e-9}};
  EXPECT_EQ(repeat([&] { return tiny.next(); },
                   {.warm_up_s = 0.0, .least = 2, .measured_s = 3.0, .most = 50})
                .count,
            50U);
}

TEST(Repetitions, ShortestTimeIsTheHighestRate) {
  const std::vector<double> seconds = {0.5, 0.25, 1.0};
  const device::MeasuredFigure figure =
      rate("dram.read", "B/s", 100.0, statistics_of(seconds), "here");
  EXPECT_EQ(figure.value, 200.0);
  EXPECT_EQ(figure.least, 100.0);
  EXPECT_EQ(figure.most, 400.0);
  EXPECT_EQ(figure.repetitions, 3);
  EXPECT_EQ(figure.unit, "B/s");
  EXPECT_EQ(figure.at, "here");
}

TEST(Repetitions, DurationsStayTimes) {
  const std::vector<double> seconds = {0.5, 0.25, 1.0};
  const device::MeasuredFigure figure = duration("launch.gap", statistics_of(seconds), "");
  EXPECT_EQ(figure.value, 0.5);
  EXPECT_EQ(figure.least, 0.25);
  EXPECT_EQ(figure.most, 1.0);
  EXPECT_EQ(figure.unit, "s");
}

}  // namespace
}  // namespace rooflab::probe_worker
