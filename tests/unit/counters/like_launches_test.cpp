#include "counters/like_launches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflab::counters {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;
using testing::Optional;

using Launches = std::vector<std::uint32_t>;

/// Signatures 100, 101, ... are of the kernels 0, 1, ..., and so are 200, 201, ... with another
/// grid.
std::uint32_t kernel_of(std::uint32_t signature) { return signature % 100; }

/// Ten kernels, each of another name.
Launches ten(std::uint32_t first) {
  Launches launches;
  for (std::uint32_t i = 0; i < 10; ++i) launches.push_back(first + i);
  return launches;
}

TEST(LikeLaunches, TheLastPlaceIsTakenWhereTheStepIsAsItWas) {
  const Launches step = {101, 102};
  const Launches launches = {103, 101, 102, 101, 102, 101};
  EXPECT_THAT(places_among(step, launches), ElementsAre(1, 3));
  const LikeLaunches found = like_launches(step, launches, kernel_of);
  EXPECT_THAT(found.places, ElementsAre(Optional(3U), Optional(4U)));
  EXPECT_EQ(found.others, 0);
}

TEST(LikeLaunches, AStepThatRepeatsItselfInsideIsFoundWhole) {
  EXPECT_THAT(places_among(Launches{1, 1, 2}, Launches{1, 1, 1, 2, 1, 1, 2}), ElementsAre(1, 4));
  EXPECT_THAT(places_among(Launches{}, Launches{1}), IsEmpty());
}

TEST(LikeLaunches, OtherGridsOfTheSameKernelsAreNoOthers) {
  const LikeLaunches found = like_launches(ten(100), ten(200), kernel_of);
  EXPECT_THAT(found.places.front(), Optional(0U));
  EXPECT_THAT(found.places.back(), Optional(9U));
  EXPECT_EQ(found.others, 0);
}

TEST(LikeLaunches, AnotherKernelTakesThePlaceOfOne) {
  Launches launches = {150, 151};  // the end of a step before
  for (const std::uint32_t each : ten(200)) launches.push_back(each);
  launches[2 + 4] = 160;
  const LikeLaunches found = like_launches(ten(100), launches, kernel_of);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_THAT(found.places[i], Optional(i + 2)) << i;
  EXPECT_EQ(found.others, 1);
}

TEST(LikeLaunches, LaunchesMoreAndLaunchesLessMoveTheRest) {
  Launches launches = ten(200);
  launches.insert(launches.begin() + 3, 160);  // one more before the fourth
  launches.erase(launches.begin() + 7);        // the seventh is missing
  const LikeLaunches found = like_launches(ten(100), launches, kernel_of);
  EXPECT_THAT(found.places, ElementsAre(Optional(0U), Optional(1U), Optional(2U), Optional(4U),
                                        Optional(5U), Optional(6U), Eq(std::nullopt), Optional(7U),
                                        Optional(8U), Optional(9U)));
  EXPECT_EQ(found.others, 0);
}

TEST(LikeLaunches, AStepThatIsNotThereIsNotFound) {
  EXPECT_THAT(like_launches(ten(100), ten(120), kernel_of).places, IsEmpty());
  EXPECT_THAT(like_launches(ten(100), {}, kernel_of).places, IsEmpty());
  EXPECT_THAT(like_launches({}, ten(100), kernel_of).places, IsEmpty());
  // Half of it is.
  EXPECT_THAT(like_launches(ten(100), Launches{100, 101, 102, 103, 104, 105}, kernel_of).places,
              IsEmpty());
}

TEST(LikeLaunches, AThousandLikeLayersHaveTheirOrder) {
  Launches step = {150};
  for (int layer = 0; layer < 1000; ++layer) {
    for (const std::uint32_t kernel : ten(100)) step.push_back(kernel);
  }
  step.push_back(151);
  Launches launches = step;
  launches[5000] = 160;
  const LikeLaunches found = like_launches(step, launches, kernel_of);
  ASSERT_EQ(found.places.size(), step.size());
  for (std::size_t i = 0; i < step.size(); ++i) ASSERT_THAT(found.places[i], Optional(i));
  EXPECT_EQ(found.others, 1);
}

}  // namespace
}  // namespace rooflab::counters
