#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "counted_records.hpp"
#include "networks.hpp"
#include "records.hpp"
#include "rooflab/analyze/roofline_points.hpp"
#include "toy_calibration.hpp"

namespace rooflab::analyze {
namespace {

Roofline roofline_of_one(const CaseResult& result, PointPer per) {
  const CaseResult* const cases[] = {&result};
  return roofline_of(result.device, cases, {}, per);
}

Roofline roofline_of_measured(std::span<const MeasuredCase* const> cases, PointPer per) {
  return roofline_of(cases.front()->model->device, {}, cases, per);
}

TEST(Roofline, EveryPointLiesOnOrUnderTheRoof) {
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::amp}) {
    for (const char* model : {"resnet18", "vgg16", "mobilenet_v2", "vit_b_16"}) {
      const CaseResult result = case_of(model, "a100-sxm4-40gb", 32, Phase::training, precision);
      const Roofline roofline = roofline_of_one(result, PointPer::layer);
      double highest = 0.0;
      for (const ArithmeticPath path : roofline.paths) {
        highest = std::max(highest, device::peak(roofline.device, path).value());
      }
      ASSERT_FALSE(roofline.series.at(0).points.empty());
      for (const RooflinePoint& point : roofline.series[0].points) {
        const double slope = point.intensity * roofline.device.bandwidth->value;
        EXPECT_LE(point.flops_per_s, std::min(highest, slope) * (1.0 + 1e-12))
            << model << " " << point.label;
        EXPECT_GT(point.flops_per_s, 0.0);
      }
    }
  }
}

// One op at its limit lies exactly on the roof: conv1 of ResNet-18 is bound by compute on a T4
// (61 FLOP/B, ridge at 25), a ReLU by memory.
TEST(Roofline, AnOpAtItsLimitLiesOnTheRoof) {
  const Roofline roofline = roofline_of_one(case_of("resnet18", "t4"), PointPer::layer);
  const auto find = [&](std::string_view label) {
    return *std::ranges::find(roofline.series.at(0).points, label, &RooflinePoint::label);
  };
  EXPECT_NEAR(find("conv1").flops_per_s, 8.1e12, 1e3);
  EXPECT_EQ(find("conv1").bound, predict::Bound::compute);
  EXPECT_NEAR(find("relu").flops_per_s, find("relu").intensity * 320e9, 1e-3);
  EXPECT_EQ(find("relu").bound, predict::Bound::memory);
}

TEST(Roofline, SharesAddUpWithTheLayersThatHaveNoPlace) {
  const CaseResult result = case_of("densenet121", "t4", 4);
  const Roofline roofline = roofline_of_one(result, PointPer::layer);
  const RooflineSeries& series = roofline.series.at(0);
  double share = series.without_flops_share.value();
  for (const RooflinePoint& point : series.points) share += point.time_share;
  EXPECT_NEAR(share, 1.0, 1e-9);
  // Concatenations move data and compute nothing.
  EXPECT_GT(series.without_flops, 0);
  EXPECT_EQ(series.name, "densenet121");
  EXPECT_EQ(roofline.setting, "batch 4, inference, fp32");
}

TEST(Roofline, OnePointPerModel) {
  const CaseResult first = case_of("resnet18", "t4");
  const CaseResult second = case_of("alexnet", "t4");
  const CaseResult* const cases[] = {&first, &second};
  const Roofline roofline = roofline_of(cases[0]->device, cases, {}, PointPer::model);
  ASSERT_EQ(roofline.series.size(), 2U);
  ASSERT_EQ(roofline.series[1].points.size(), 1U);
  const RooflinePoint& point = roofline.series[1].points[0];
  EXPECT_EQ(point.label, "alexnet");
  EXPECT_DOUBLE_EQ(point.time_share, 1.0);
  EXPECT_DOUBLE_EQ(point.flops_per_s * point.time_s, second.limit.flops().as_double());
}

TEST(Roofline, NamesSayWhatTellsCasesApart) {
  const CaseResult small = case_of("alexnet", "t4", 1);
  const CaseResult large = case_of("alexnet", "t4", 32, Phase::forward);
  const CaseResult* const cases[] = {&small, &large};
  const Roofline roofline = roofline_of(cases[0]->device, cases, {}, PointPer::layer);
  EXPECT_EQ(roofline.series.at(0).name, "alexnet, batch 1, inference");
  EXPECT_EQ(roofline.series.at(1).name, "alexnet, batch 32, forward");
  EXPECT_EQ(roofline.series.at(1).network, "alexnet");
  EXPECT_EQ(roofline.setting, "fp32");
}

// Cases of one network are one series, joined; of different networks, a series each.
TEST(Roofline, CasesOfOneNetworkAreJoined) {
  const CaseResult small = case_of("alexnet", "t4", 1);
  const CaseResult large = case_of("alexnet", "t4", 32);
  const CaseResult other = case_of("resnet18", "t4", 1);
  const CaseResult* const cases[] = {&large, &small, &other};
  const Roofline roofline = roofline_of(cases[0]->device, cases, {});
  EXPECT_EQ(roofline.per, PointPer::model);  // since one network has several cases
  ASSERT_EQ(roofline.series.size(), 2U);
  const RooflineSeries& joined = roofline.series[0];
  EXPECT_TRUE(joined.joined);
  EXPECT_EQ(joined.name, "alexnet");
  ASSERT_EQ(joined.points.size(), 2U);
  EXPECT_EQ(joined.points[0].label, "batch 1");  // by their intensity
  EXPECT_EQ(joined.points[1].label, "batch 32");
  EXPECT_FALSE(roofline.series[1].joined);
  EXPECT_EQ(roofline.series[1].points[0].label, "resnet18");
  const CaseResult* const one[] = {&small, &other};
  EXPECT_EQ(roofline_of(one[0]->device, one, {}).per, PointPer::op_class);
}

// AlexNet has five convolutions and three linear layers: their sums, and shares of the limit.
TEST(Roofline, PointsOfClassesAreSums) {
  const CaseResult result = case_of("alexnet", "t4", 8);
  const Roofline roofline = roofline_of_one(result, PointPer::op_class);
  const RooflineSeries& series = roofline.series.at(0);
  double flops = 0.0;
  double bytes = 0.0;
  double time_s = 0.0;
  int convolutions = 0;
  for (const LayerRow& row : result.layers) {
    if (row.op_class != OpClass::convolution) continue;
    ++convolutions;
    flops += row.flops().as_double();
    bytes += row.compulsory_bytes.as_double();
    time_s += row.time->value;
  }
  EXPECT_EQ(convolutions, 5);
  const RooflinePoint& point = series.points.at(0);
  EXPECT_EQ(point.label, "convolution");
  EXPECT_DOUBLE_EQ(point.intensity, flops / bytes);
  EXPECT_DOUBLE_EQ(point.flops_per_s, flops / time_s);
  EXPECT_DOUBLE_EQ(point.time_share, time_s / result.limit.time->value);
  double share = series.without_flops_share.value();
  for (const RooflinePoint& each : series.points) share += each.time_share;
  EXPECT_NEAR(share, 1.0, 1e-9);
  EXPECT_EQ(std::ranges::count(series.points, "matrix products", &RooflinePoint::label), 1);
}

// In the toy calibration a convolution takes 100 us and its bias 4 us, whatever their size.
TEST(Roofline, PredictedPointsHaveTheTimeAndItsInterval) {
  const schedule::Schedule alexnet = scheduled("alexnet");
  CaseResult result = case_of("alexnet", "h200-sxm");
  add_prediction(result, alexnet, toy_model("h200-sxm", false));
  const Roofline by_class = roofline_of_one(result, PointPer::op_class);
  ASSERT_EQ(by_class.series.size(), 2U);
  const RooflineSeries& predicted = by_class.series[1];
  EXPECT_EQ(predicted.kind, PointKind::predicted);
  const RooflinePoint& convolution = predicted.points.at(0);
  EXPECT_NEAR(convolution.time_s, 5 * 104e-6, 1e-9);
  EXPECT_DOUBLE_EQ(convolution.intensity, by_class.series[0].points.at(0).intensity);
  // Symmetric in the logarithm, and wider than nothing.
  EXPECT_NEAR(*convolution.low_s * *convolution.high_s, convolution.time_s * convolution.time_s,
              1e-15);
  EXPECT_GT(*convolution.high_s, convolution.time_s);
  const Roofline whole = roofline_of_one(result, PointPer::model);
  const RooflinePoint& step = whole.series.at(1).points.at(0);
  EXPECT_DOUBLE_EQ(step.time_s, result.prediction->time.value);
  EXPECT_DOUBLE_EQ(step.low_s.value(), result.prediction->low.value);
}

TEST(Roofline, OnlyRoofsThatTheWorkUses) {
  EXPECT_THAT(roofline_of_one(case_of("resnet18", "a100-sxm4-40gb"), PointPer::layer).paths,
              testing::ElementsAre(ArithmeticPath::fp32_vector));
  EXPECT_THAT(
      roofline_of_one(case_of("resnet18", "a100-sxm4-40gb", 1, Phase::inference, Precision::tf32),
                      PointPer::layer)
          .paths,
      testing::ElementsAre(ArithmeticPath::fp32_vector, ArithmeticPath::tf32_tensor));
}

TEST(Roofline, ACaseWithoutLimitHasNoPoints) {
  const CaseResult result = case_of("resnet18", "t4", 1, Phase::inference, Precision::bf16);
  ASSERT_FALSE(result.limit.time);
  for (const PointPer per : {PointPer::layer, PointPer::model}) {
    const Roofline roofline = roofline_of_one(result, per);
    ASSERT_EQ(roofline.series.size(), 1U);
    EXPECT_TRUE(roofline.series[0].points.empty());
  }
}

// 16 FLOPs and 128 bytes each: intensity 0.125; 16 FLOPs in 3 s and in 2 s.
TEST(Roofline, MeasuredLayersBesideTheirLimit) {
  record::Record record = toy_record({6.0});
  record.layers = toy_layers();
  const MeasuredCase measured = measured_case_of(record, toy_catalog());
  const MeasuredCase* const cases[] = {&measured};
  const Roofline roofline = roofline_of_measured(cases, PointPer::layer);
  ASSERT_EQ(roofline.series.size(), 2U);
  EXPECT_EQ(roofline.series[0].name, "relus");
  EXPECT_EQ(roofline.series[0].kind, PointKind::limit);
  EXPECT_EQ(roofline.series[1].name, "relus");
  EXPECT_EQ(roofline.series[1].kind, PointKind::timed);
  ASSERT_EQ(roofline.series[1].points.size(), 2U);
  const RooflinePoint& first = roofline.series[1].points[0];
  EXPECT_DOUBLE_EQ(first.intensity, 0.125);
  EXPECT_DOUBLE_EQ(first.flops_per_s, 16.0 / 3.0);
  EXPECT_DOUBLE_EQ(first.time_share, 0.6);
  EXPECT_EQ(first.bound, predict::Bound::memory);
  EXPECT_DOUBLE_EQ(roofline.series[0].points[0].flops_per_s, 12.5);  // 0.125 FLOP/B x 100 B/s
}

TEST(Roofline, OneMeasuredPointPerModel) {
  const MeasuredCase measured = measured_case_of(toy_record({6.0}), toy_catalog());
  const MeasuredCase* const cases[] = {&measured};
  for (const PointPer per : {PointPer::model, PointPer::layer}) {
    const Roofline roofline = roofline_of_measured(cases, per);
    ASSERT_EQ(roofline.series[1].points.size(), 1U);
    EXPECT_DOUBLE_EQ(roofline.series[1].points[0].flops_per_s, 32.0 / 6.0);
    // Without layer times there is no more to draw, and that is said.
    EXPECT_EQ(roofline.series[1].remark.empty(), per == PointPer::model);
  }
}

TEST(Roofline, ALimitThatIsThereAlreadyIsDrawnOnce) {
  const MeasuredCase measured = measured_case_of(toy_record({6.0}), toy_catalog());
  const MeasuredCase* const cases[] = {&measured, &measured};
  const Roofline roofline = roofline_of_measured(cases, PointPer::model);
  ASSERT_EQ(roofline.series.size(), 2U);
  EXPECT_EQ(roofline.series[0].points.size(), 1U);
  EXPECT_EQ(roofline.series[1].points.size(), 2U);
}

MeasuredCase counted_case() {
  return measured_case_of(counted_example(), device::Catalog::built_in(), counted_device());
}

const RooflineSeries& counted_of(const Roofline& roofline) {
  return *std::ranges::find(roofline.series, PointKind::counted, &RooflineSeries::kind);
}

TEST(Roofline, WhatWasCountedIsAPointOfTheModel) {
  const MeasuredCase measured = counted_case();
  const MeasuredCase* const cases[] = {&measured};
  const Roofline roofline = roofline_of_measured(cases, PointPer::model);
  const RooflineSeries& counted = counted_of(roofline);
  ASSERT_EQ(counted.points.size(), 1U);
  EXPECT_EQ(counted.points[0].label, "net");
  // 2 * (100,352 + 200,704 + 500) + 245,366,784 FLOP, 5,403,024 bytes, 200 us.
  EXPECT_DOUBLE_EQ(counted.points[0].intensity, 245'969'896.0 / 5'403'024.0);
  EXPECT_DOUBLE_EQ(counted.points[0].flops_per_s, 245'969'896.0 / 2e-4);
}

TEST(Roofline, CountedPointsOfClassesAreSums) {
  const MeasuredCase measured = counted_case();
  const MeasuredCase* const cases[] = {&measured};
  const Roofline roofline = roofline_of_measured(cases, PointPer::op_class);
  const RooflineSeries& counted = counted_of(roofline);
  const auto convolution = std::ranges::find_if(counted.points, [](const RooflinePoint& point) {
    return point.label == name_of(graph::WorkClass::convolution);
  });
  ASSERT_NE(convolution, counted.points.end());
  EXPECT_DOUBLE_EQ(convolution->flops_per_s, (245'366'784.0 + 602'112.0) / 1e-4);
  EXPECT_EQ(convolution->launches, 2);
}

}  // namespace
}  // namespace rooflab::analyze
