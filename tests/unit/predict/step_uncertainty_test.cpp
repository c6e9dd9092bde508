// Correlations and variances worked out by hand from the formula at the head of the source.

#include "predict/step_uncertainty.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rooflab::predict {
namespace {

constexpr double floor_variance = 0.03 * 0.03;

OpShape linear_to(double out_features, std::string pass = "forward", std::string type = "bf16") {
  return {"linear", std::move(pass), std::move(type), "", {1024.0, 768.0, out_features}};
}

/// A shape that takes a second, with an error of 10 %.
ShapeShare share_of(OpShape shape, TimeSource source = TimeSource::measured_kind,
                    std::string device = "here", double common = 0.0) {
  OpEstimate estimate{.time_s = 1.0,
                      .deviation = 0.1,
                      .common_deviation = common,
                      .source = source,
                      .kind = shape.kind(),
                      .device = std::move(device)};
  return {std::move(shape), std::move(estimate), 1.0};
}

// 768 and 3072 columns are two octaves apart: 1/2 exp(-2 / 2.5) = 0.2247.
TEST(StepUncertainty, ErrorsGoTogetherTheLessTheFartherSizesAre) {
  EXPECT_EQ(error_correlation(linear_to(768.0), linear_to(768.0)), 1.0);
  EXPECT_NEAR(error_correlation(linear_to(768.0), linear_to(3072.0)), 0.2247, 1e-4);
  EXPECT_NEAR(error_correlation(linear_to(3072.0), linear_to(768.0)), 0.2247, 1e-4);
  EXPECT_NEAR(error_correlation(linear_to(768.0), linear_to(768.0, "data_gradient")), 0.2, 1e-9);
  // 0.2 exp(-2 / 2.5)
  EXPECT_NEAR(error_correlation(linear_to(768.0), linear_to(3072.0, "data_gradient")), 0.0899,
              1e-4);
  EXPECT_EQ(error_correlation(linear_to(768.0), linear_to(768.0, "forward", "tf32")), 0.0);
  OpShape other = linear_to(768.0);
  other.op = "matmul";
  EXPECT_EQ(error_correlation(linear_to(768.0), other), 0.0);
}

// Two shapes with half the time each: 1.2^2 0.1^2 (1 + 1 + 2 0.2247) / 4 = 0.008818.
TEST(StepUncertainty, MeasuredKindsAddUpByTheirCorrelation) {
  const std::vector<ShapeShare> shapes = {share_of(linear_to(768.0)), share_of(linear_to(3072.0))};
  EXPECT_NEAR(device_variance(shapes, 2.0, "here") - floor_variance, 0.008818, 1e-6);
  // Half of the device's time has gaps only, which err in nothing.
  EXPECT_NEAR(device_variance(shapes, 4.0, "here") - floor_variance, 0.008818 / 4.0, 1e-6);
}

// Half of 0.1^2 is the kind's, half each shape's: 0.01 (1/2 + 1/2 / 2); in common 0.08^2.
TEST(StepUncertainty, CarriedKindsShareHalfOfTheirVariance) {
  const std::vector<ShapeShare> shapes = {
      share_of(linear_to(768.0), TimeSource::carried_kind, "there", 0.08),
      share_of(linear_to(3072.0), TimeSource::carried_kind, "there", 0.08)};
  EXPECT_NEAR(device_variance(shapes, 2.0, "here") - floor_variance, 0.0075 + 0.0064, 1e-9);
}

// One other kind's error is in all that borrow its times, and so is that of the roofline or of what
// all rows of a publication have in common.
TEST(StepUncertainty, BorrowedAndPublishedKindsErrAsOne) {
  std::vector<ShapeShare> shapes = {share_of(linear_to(768.0), TimeSource::other_kind),
                                    share_of(linear_to(3072.0), TimeSource::other_kind)};
  for (ShapeShare& one : shapes) one.estimate.kind = "linear.forward.tf32";
  EXPECT_NEAR(device_variance(shapes, 2.0, "here") - floor_variance, 0.01, 1e-9);
  for (ShapeShare& one : shapes) {
    one.estimate.source = TimeSource::measured_kind;
    one.estimate.origin = "A publication";
  }
  EXPECT_NEAR(device_variance(shapes, 2.0, "here") - floor_variance, 0.01, 1e-9);
  for (ShapeShare& one : shapes) {
    one.estimate.source = TimeSource::roofline;
    one.estimate.kind = "limit";
    one.estimate.device = "";
  }
  EXPECT_NEAR(device_variance(shapes, 2.0, "here") - floor_variance, 0.01, 1e-9);
}

TEST(StepUncertainty, NothingOnTheDeviceLeavesTheFloor) {
  EXPECT_NEAR(device_variance({}, 0.0, "here"), floor_variance, 1e-12);
}

}  // namespace
}  // namespace rooflab::predict
