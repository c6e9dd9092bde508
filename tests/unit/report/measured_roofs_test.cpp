#include "report/measured_roofs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../predict/toy_device.hpp"

namespace rooflab::report {
namespace {

analyze::Roofline two_path_roofline() {
  analyze::Roofline roofline;
  roofline.device = predict::toy_tensor_device();  // 100 B/s; FP32 1000, TF32 4000 FLOP/s
  roofline.paths = {ArithmeticPath::fp32_vector, ArithmeticPath::tf32_tensor};
  return roofline;
}

device::Calibration calibration_of(const std::vector<std::pair<std::string, double>>& figures) {
  device::Calibration calibration;
  calibration.id = "toy";
  for (const auto& [name, value] : figures) {
    calibration.figures.push_back({name, "", value, value, value, 1, ""});
  }
  return calibration;
}

// 80 B/s and 2000 FLOP/s meet at 25 FLOP/B.
TEST(MeasuredRoofs, WhatWasMeasuredIsDashedBesideTheDatasheet) {
  chart::Chart chart;
  const int added = add_measured_roofs(
      two_path_roofline(),
      calibration_of(
          {{"dram.read", 80.0}, {"gemm.tf32_tensor", 2000.0}, {"gemm.fp16_tensor_fp32", 9000.0}}),
      chart);
  EXPECT_EQ(added, 2);
  ASSERT_EQ(chart.guides.size(), 2U);
  EXPECT_EQ(chart.guides[0].label, "measured TF32 tensor 2 kFLOP/s");
  EXPECT_EQ(chart.guides[0].line[0].x, 25.0);
  EXPECT_EQ(chart.guides[0].line[0].y, 2000.0);
  EXPECT_EQ(chart.guides[1].label, "measured 80 B/s");
  for (const chart::Guide& guide : chart.guides) {
    EXPECT_EQ(guide.style, chart::LineStyle::dashed);
  }
  EXPECT_THAT(chart.captions, testing::ElementsAre("Measured roofs, dashed: TF32 tensor 2 kFLOP/s"
                                                   " (50.0 %), memory 80 B/s (80.0 %); calibration"
                                                   " toy."));
}

TEST(MeasuredRoofs, WithoutAMeasuredBandwidthTheDatasheetsGivesTheRidge) {
  chart::Chart chart;
  EXPECT_EQ(
      add_measured_roofs(two_path_roofline(), calibration_of({{"peak.fp32_vector", 500.0}}), chart),
      1);
  EXPECT_EQ(chart.guides[0].line[0].x, 5.0);
}

// What a probe measured is the roof already: it is not drawn twice.
TEST(MeasuredRoofs, RoofsThatWereMeasuredStandThere) {
  analyze::Roofline roofline = two_path_roofline();
  roofline.device.bandwidth->measured = true;
  for (auto& [path, figure] : roofline.device.peaks) figure.measured = true;
  chart::Chart chart;
  EXPECT_EQ(
      add_measured_roofs(
          roofline, calibration_of({{"dram.read", 80.0}, {"gemm.tf32_tensor", 2000.0}}), chart),
      2);
  EXPECT_TRUE(chart.guides.empty());
  EXPECT_THAT(chart.captions, testing::ElementsAre(testing::StartsWith("Measured roofs: TF32")));
}

TEST(MeasuredRoofs, NothingMeasuredAddsNothing) {
  chart::Chart chart;
  EXPECT_EQ(
      add_measured_roofs(two_path_roofline(), calibration_of({{"launch.issue", 1e-6}}), chart), 0);
  EXPECT_TRUE(chart.guides.empty());
  EXPECT_TRUE(chart.captions.empty());
}

}  // namespace
}  // namespace rooflab::report
