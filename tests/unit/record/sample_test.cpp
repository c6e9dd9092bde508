#include "rooflab/record/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "equal_fields.hpp"

namespace rooflab::record {
namespace {

using testing::ElementsAre;

SampleSeries series_of(int count) {
  SampleSeries series{.device = "cuda:0", .name = "GPU"};
  for (int i = 0; i < count; ++i) series.samples.push_back({.time_s = static_cast<double>(i)});
  return series;
}

std::vector<double> times(const SampleSeries& series) {
  std::vector<double> result;
  for (const Sample& sample : series.samples) result.push_back(sample.time_s);
  return result;
}

TEST(Thinned, KeepsFirstAndLastAndEvenlyBetween) {
  const std::vector<SampleSeries> all = thinned({series_of(9), series_of(3)}, 5);
  EXPECT_THAT(times(all[0]), ElementsAre(0, 2, 4, 6, 8));
  EXPECT_EQ(all[0].device, "cuda:0");
  EXPECT_THAT(times(all[1]), ElementsAre(0, 1, 2));
  EXPECT_THAT(times(thinned({series_of(8)}, 5)[0]), ElementsAre(0, 1, 3, 5, 7));
  EXPECT_THAT(times(thinned({series_of(100)}, 2)[0]), ElementsAre(0, 99));
  EXPECT_EQ(thinned({series_of(5)}, 5)[0], series_of(5));
  EXPECT_TRUE(thinned({series_of(0)}, 5)[0].samples.empty());
}

}  // namespace
}  // namespace rooflab::record
