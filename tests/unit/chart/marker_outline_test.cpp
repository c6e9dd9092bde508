#include "chart/marker_outline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rooflab::chart {
namespace {

/// Shoelace formula.
double area_of(const std::vector<PixelPoint>& outline) {
  double twice = 0.0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const PixelPoint& a = outline[i];
    const PixelPoint& b = outline[(i + 1) % outline.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  return std::abs(twice) / 2.0;
}

// Area stands for weight, whatever the shape. The circle's 24 corners lose 1.1 %.
TEST(MarkerOutline, EveryShapeHasTheAreaOfItsCircle) {
  constexpr double radius = 10.0;
  for (const Marker marker : {Marker::circle, Marker::square, Marker::diamond, Marker::triangle,
                              Marker::triangle_down, Marker::cross}) {
    const double area = area_of(marker_outline(marker, {50.0, 40.0}, radius));
    EXPECT_NEAR(area / (std::numbers::pi * radius * radius), 1.0, 0.012)
        << static_cast<int>(marker);
  }
}

TEST(MarkerOutline, TheCrossIsAsWideAsHigh) {
  const std::vector<PixelPoint> cross = marker_outline(Marker::cross, {0.0, 0.0}, 10.0);
  ASSERT_EQ(cross.size(), 12U);
  for (const PixelPoint& corner : cross) {
    const double far = std::max(std::abs(corner.x), std::abs(corner.y));
    EXPECT_TRUE(std::abs(far - 11.89) < 0.01 || std::abs(far - 3.963) < 0.01) << far;
  }
}

}  // namespace
}  // namespace rooflab::chart
