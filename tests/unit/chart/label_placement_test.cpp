#include "chart/label_placement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>

namespace rooflab::chart {
namespace {

constexpr Rectangle area = {0.0, 0.0, 1000.0, 600.0};

LabelRequest request_at(double x, double y, double weight = 1.0) {
  return {.anchor = {x, y}, .marker_radius = 5.0, .width = 60.0, .height = 14.0, .weight = weight};
}

/// Points in a few clusters, as layers are on a roofline.
std::vector<LabelRequest> clustered_requests(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  std::vector<LabelRequest> requests;
  for (int i = 0; i < count; ++i) {
    const double center_x = 150.0 + 230.0 * (i % 4);
    const double spread = i % 4 == 0 ? 15.0 : 90.0;
    LabelRequest request = request_at(center_x + spread * (share(random) - 0.5),
                                      300.0 + 3.0 * spread * (share(random) - 0.5), share(random));
    request.marker_radius = 3.0 + 10.0 * request.weight;
    request.width = 20.0 + 120.0 * share(random);
    requests.push_back(request);
  }
  return requests;
}

LabelField field_of(const std::vector<LabelRequest>& requests) {
  LabelField field{
      .area = area, .occupied = {{700.0, 20.0, 900.0, 40.0}}, .markers = {}, .lines = {}};
  for (const LabelRequest& request : requests) {
    field.markers.push_back(square_around(request.anchor, request.marker_radius));
  }
  field.lines.push_back({{0.0, 590.0}, {1000.0, 10.0}});
  return field;
}

class RandomPoints : public testing::TestWithParam<unsigned> {};

TEST_P(RandomPoints, LabelsKeepClearOfEachOtherAndOfEverythingElse) {
  const std::vector<LabelRequest> requests = clustered_requests(GetParam(), 120);
  const LabelField field = field_of(requests);
  const auto places = place_labels(requests, field);

  ASSERT_EQ(places.size(), requests.size());
  std::vector<PlacedLabel> placed;
  for (const auto& place : places) {
    if (place) placed.push_back(*place);
  }
  EXPECT_GE(placed.size(), 20U);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    EXPECT_TRUE(area.contains(placed[i].box));
    EXPECT_FALSE(placed[i].box.overlaps(field.occupied[0]));
    for (const Rectangle& marker : field.markers) EXPECT_FALSE(placed[i].box.overlaps(marker));
    for (std::size_t j = 0; j < placed.size(); ++j) {
      if (j == i) continue;
      EXPECT_FALSE(placed[i].box.overlaps(placed[j].box));
      if (placed[j].leader) {
        EXPECT_FALSE(placed[i].box.crossed_by(*placed[j].leader));
      }
    }
  }
}

TEST_P(RandomPoints, TheSameInputGivesTheSamePlaces) {
  const std::vector<LabelRequest> requests = clustered_requests(GetParam(), 120);
  const auto first = place_labels(requests, field_of(requests));
  const auto second = place_labels(requests, field_of(requests));
  for (std::size_t i = 0; i < first.size(); ++i) {
    ASSERT_EQ(first[i].has_value(), second[i].has_value());
    if (!first[i]) continue;
    EXPECT_EQ(first[i]->box.left, second[i]->box.left);
    EXPECT_EQ(first[i]->box.top, second[i]->box.top);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPoints, testing::Range(1U, 9U));

TEST(LabelPlacement, ALonePointIsLabelledAtItsRight) {
  const std::vector<LabelRequest> requests = {request_at(500.0, 300.0)};
  const auto places = place_labels(requests, {.area = area});
  ASSERT_TRUE(places[0]);
  // Three pixels off the rim of a marker of radius 5, vertically centred.
  EXPECT_DOUBLE_EQ(places[0]->box.left, 508.0);
  EXPECT_DOUBLE_EQ(places[0]->box.top, 293.0);
  EXPECT_DOUBLE_EQ(places[0]->box.right, 568.0);
  EXPECT_FALSE(places[0]->leader);
}

TEST(LabelPlacement, AtTheRightEdgeTheLabelStandsLeft) {
  const std::vector<LabelRequest> requests = {request_at(990.0, 300.0)};
  const auto places = place_labels(requests, {.area = area});
  ASSERT_TRUE(places[0]);
  EXPECT_LT(places[0]->box.right, 990.0);
}

TEST(LabelPlacement, TheHeavierGetsTheOnlyRoom) {
  // Room for one label to the right of both points and for nothing else.
  const Rectangle strip = {0.0, 292.0, 75.0, 308.0};
  const std::vector<LabelRequest> requests = {request_at(5.0, 300.0, 0.2),
                                              request_at(5.0, 300.0, 0.9)};
  const auto places = place_labels(requests, {.area = strip});
  EXPECT_FALSE(places[0]);
  EXPECT_TRUE(places[1]);
}

TEST(LabelPlacement, AFreePlaceIsLikedBetterThanOneOnALine) {
  const std::vector<LabelRequest> requests = {request_at(500.0, 300.0)};
  const Segment level = {{0.0, 300.0}, {1000.0, 300.0}};
  const auto places = place_labels(requests, {.area = area, .lines = {level}});
  ASSERT_TRUE(places[0]);
  EXPECT_FALSE(places[0]->box.crossed_by(level));
}

TEST(LabelPlacement, ALabelThatStandsOffHasALeaderFromItsMarker) {
  // Other texts all around leave no place near the marker.
  const std::vector<LabelRequest> requests = {request_at(500.0, 300.0)};
  const std::vector<Rectangle> around = {{420.0, 280.0, 494.0, 320.0},
                                         {506.0, 280.0, 580.0, 320.0}};
  const auto places = place_labels(requests, {.area = area, .occupied = around});
  ASSERT_TRUE(places[0]);
  ASSERT_TRUE(places[0]->leader);
  const PixelPoint from = places[0]->leader->from;
  EXPECT_NEAR(std::hypot(from.x - 500.0, from.y - 300.0), 5.0, 1e-9);
}

TEST(Rectangle, TouchingIsNoOverlap) {
  const Rectangle box = {0.0, 0.0, 10.0, 10.0};
  EXPECT_FALSE(box.overlaps({10.0, 0.0, 20.0, 10.0}));
  EXPECT_TRUE(box.overlaps({9.0, 9.0, 20.0, 20.0}));
}

TEST(Rectangle, IsCrossedByASegmentThroughItsInside) {
  const Rectangle box = {0.0, 0.0, 10.0, 10.0};
  EXPECT_TRUE(box.crossed_by({{-5.0, 5.0}, {15.0, 6.0}}));
  EXPECT_TRUE(box.crossed_by({{4.0, 4.0}, {5.0, 5.0}}));
  EXPECT_FALSE(box.crossed_by({{-5.0, 4.0}, {4.0, -5.5}}));    // passes the corner
  EXPECT_FALSE(box.crossed_by({{-5.0, 10.0}, {15.0, 10.0}}));  // runs along the edge
  EXPECT_FALSE(box.crossed_by({{12.0, 5.0}, {20.0, 5.0}}));
}

}  // namespace
}  // namespace rooflab::chart
