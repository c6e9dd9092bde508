#include "chart/roofs.hpp"

#include <gtest/gtest.h>

namespace rooflab::chart {
namespace {

// A100-SXM4-40GB: 19.5 TFLOP/s FP32, 1.555 TB/s; NVIDIA's data sheet.
constexpr double peak = 19.5e12;
constexpr double bandwidth = 1.555e12;

TEST(Roofs, RidgePointIsPeakOverBandwidth) {
  const VerticalGuide ridge = ridge_point(peak, bandwidth, 2);
  EXPECT_NEAR(ridge.x, 12.5402, 1e-4);
  EXPECT_EQ(ridge.label, "ridge 12.54 FLOP/B");
  EXPECT_EQ(ridge.top, peak);
  EXPECT_EQ(ridge.color, 2);
}

TEST(Roofs, SlopeEndsWhereTheFlatRoofBegins) {
  const Guide slope = bandwidth_roof("HBM2", bandwidth, peak);
  const Guide flat = peak_roof("FP32", peak, bandwidth, 0);
  ASSERT_EQ(slope.line.size(), 2U);
  ASSERT_EQ(flat.line.size(), 2U);
  EXPECT_NEAR(slope.line[1].x, 12.5402, 1e-4);
  EXPECT_EQ(slope.line[1].y, 19.5e12);
  EXPECT_NEAR(flat.line[0].x, 12.5402, 1e-4);
  EXPECT_EQ(flat.line[0].y, 19.5e12);
  EXPECT_NEAR(slope.line[0].y / slope.line[0].x, 1.555e12, 1.0);
  EXPECT_TRUE(slope.extend_start);
  EXPECT_FALSE(slope.extend_end);
  EXPECT_TRUE(flat.extend_end);
}

}  // namespace
}  // namespace rooflab::chart
