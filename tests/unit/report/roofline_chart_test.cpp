#include "report/roofline_chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../analyze/networks.hpp"
#include "../predict/toy_device.hpp"

namespace rooflab::report {
namespace {

using testing::HasSubstr;

chart::Chart chart_of(const analyze::CaseResult& result) {
  const analyze::CaseResult* const cases[] = {&result};
  return roofline_chart(analyze::roofline_of(result.device, cases, {}, analyze::PointPer::layer));
}

TEST(RooflineChart, OneRoofAndRidgePerPathAndTheMemorySlope) {
  const chart::Chart chart = chart_of(
      analyze::case_of("resnet18", "a100-sxm4-40gb", 1, Phase::inference, Precision::tf32));
  EXPECT_EQ(chart.guides.size(), 3U);  // memory, FP32, TF32
  EXPECT_EQ(chart.vertical_guides.size(), 2U);
  EXPECT_EQ(chart.x.scale, chart::Scale::logarithmic);
  EXPECT_EQ(chart.y.scale, chart::Scale::logarithmic);
  EXPECT_THAT(chart.title, HasSubstr("A100 SXM4 40GB"));
  EXPECT_THAT(chart.captions.at(0), HasSubstr("memory 1555 GB/s"));
}

/// Points of all series together.
std::size_t point_count(const chart::Chart& chart) {
  std::size_t count = 0;
  for (const chart::Series& series : chart.series) count += series.points.size();
  return count;
}

TEST(RooflineChart, APointForEveryLayerWithFlops) {
  const analyze::CaseResult result = analyze::case_of("resnet18", "t4");
  int with_flops = 0;
  for (const analyze::LayerRow& layer : result.layers) with_flops += layer.flops() > Flops(0);
  EXPECT_EQ(with_flops, 68);  // 69 nodes, one of them the view `flatten`
  EXPECT_EQ(point_count(chart_of(result)), 68U);
}

TEST(RooflineChart, WithoutALimitTheCaptionSaysSo) {
  const chart::Chart chart =
      chart_of(analyze::case_of("resnet18", "t4", 1, Phase::inference, Precision::bf16));
  EXPECT_EQ(point_count(chart), 0U);
  EXPECT_THAT(chart.captions, testing::Contains(HasSubstr("no limit, no points")));
}

// The toy device does 1000 FLOP/s and 100 B/s: its ridge lies at 10 FLOP/B.
analyze::Roofline toy_roofline() {
  analyze::Roofline roofline;
  roofline.device = predict::toy_device();
  roofline.paths = {ArithmeticPath::fp32_vector};
  return roofline;
}

// A probe measured 65.4 GFLOP/s and 16.4 GB/s; with a printed peak next to them each says where it
// is from.
TEST(RooflineChart, TheCaptionSaysWhereEachRoofIsFrom) {
  analyze::Roofline roofline;
  roofline.device.name = "EPYC";
  roofline.device.peaks[ArithmeticPath::fp32_vector] = {
      .value = 65.3987e9, .unit = "TFLOP/s", .printed_value = 0.0653987, .measured = true};
  roofline.device.bandwidth = device::Figure{
      .value = 16.4452e9, .unit = "GB/s", .printed_value = 16.4452, .measured = true};
  roofline.paths = {ArithmeticPath::fp32_vector};
  EXPECT_EQ(roofline_chart(roofline).captions.at(0),
            "EPYC: FP32 65.4 GFLOP/s, memory 16.4 GB/s, as measured by `rooflab probe`.");
  roofline.device.peaks[ArithmeticPath::tf32_tensor] = {
      .value = 2e12, .unit = "TFLOP/s", .printed_value = 2.0};
  roofline.paths.insert(ArithmeticPath::tf32_tensor);
  EXPECT_EQ(roofline_chart(roofline).captions.at(0),
            "EPYC: TF32 tensor 2 TFLOP/s; dense peaks at boost clock; FP32 65.4 GFLOP/s, memory"
            " 16.4 GB/s, as measured by `rooflab probe`.");
}

analyze::RooflineSeries series_of(std::string name, analyze::PointKind kind,
                                  std::vector<analyze::RooflinePoint> points) {
  analyze::RooflineSeries series;
  series.name = std::move(name);
  series.kind = kind;
  series.points = std::move(points);
  return series;
}

// The hue is the network, the shape the kind; the legend says both.
TEST(RooflineChart, HueIsTheNetworkAndShapeTheKind) {
  using analyze::PointKind;
  using chart::Marker;
  analyze::Roofline roofline = toy_roofline();
  for (const char* network : {"a", "b"}) {
    for (const PointKind kind : values_of<PointKind>) {
      roofline.series.push_back(series_of(network, kind, {{"p", 1.0, 10.0, 1.0, 1.0}}));
      roofline.series.back().network = network;
    }
  }
  const chart::Chart chart = roofline_chart(roofline);
  std::vector<Marker> markers;
  std::vector<int> colors;
  std::vector<std::string> keys;
  for (const chart::Series& series : chart.series) {
    if (series.keyed) {
      keys.push_back(series.name);
      continue;
    }
    markers.push_back(series.marker);
    colors.push_back(series.color);
  }
  EXPECT_THAT(markers, testing::ElementsAre(Marker::tick, Marker::circle, Marker::diamond,
                                            Marker::triangle_down, Marker::triangle, Marker::tick,
                                            Marker::circle, Marker::diamond, Marker::triangle_down,
                                            Marker::triangle));
  EXPECT_THAT(colors, testing::ElementsAre(0, 0, 0, 0, 0, 1, 1, 1, 1, 1));
  EXPECT_THAT(keys, testing::ElementsAre("a", "b", "limit", "predicted", "measured", "counted",
                                         "published"));
  // Networks of the page have their hue there, whichever the chart shows.
  const std::vector<std::string> networks = {"b", "a"};
  EXPECT_EQ(roofline_chart(roofline, networks).series.front().color, 1);
}

// Each work has one label: at its measurement, else at its prediction, else at its limit.
TEST(RooflineChart, LabelsWhatMattersOnce) {
  using analyze::PointKind;
  analyze::Roofline roofline = toy_roofline();
  roofline.series = {series_of("net", PointKind::limit,
                               {{"conv", 1.0, 90.0, 1.0, 0.9}, {"add", 0.1, 9.0, 1.0, 0.1}}),
                     series_of("net", PointKind::predicted,
                               {{"conv", 1.0, 50.0, 2.0, 0.98}, {"add", 0.1, 5.0, 1.0, 0.02}})};
  roofline.series[1].points[0].low_s = 1.0;
  roofline.series[1].points[0].high_s = 4.0;
  const chart::Chart chart = roofline_chart(roofline);
  EXPECT_FALSE(chart.series[0].points[0].named);
  EXPECT_TRUE(chart.series[0].points[1].named);  // under 3 % of the prediction
  EXPECT_TRUE(chart.series[1].points[0].named);
  EXPECT_FALSE(chart.series[1].points[1].named);
  EXPECT_EQ(chart.series[1].points[1].label, "add");  // under the pointer
  // 100 FLOPs in 1 to 4 s.
  ASSERT_TRUE(chart.series[1].points[0].interval);
  EXPECT_DOUBLE_EQ(chart.series[1].points[0].interval->low, 25.0);
  EXPECT_DOUBLE_EQ(chart.series[1].points[0].interval->high, 100.0);
  EXPECT_THAT(chart.series[1].points[0].details, testing::Contains("limit 1 s: 2 times as long"));
  // A decade below the lowest point of 1 % and more.
  EXPECT_DOUBLE_EQ(chart.y.range->low, 0.5);
}

TEST(RooflineChart, KernelsHaveShortNamesAndBothTraffics) {
  analyze::Roofline roofline = toy_roofline();
  roofline.series = {
      series_of("log", analyze::PointKind::counted,
                {{"void at::native::(anonymous namespace)::softmax<float, 4>(float*)", 2.0, 100.0,
                  1.0, 1.0}})};
  roofline.series[0].points[0].launches = 3;
  roofline.series[0].points[0].l2_intensity = 0.5;
  const chart::Chart chart = roofline_chart(roofline);
  EXPECT_EQ(chart.series[0].points[0].label, "softmax<float>");
  EXPECT_THAT(
      chart.series[0].points[0].details,
      testing::Contains("void at::native::(anonymous namespace)::softmax<float, 4>(float*)"));
  EXPECT_THAT(chart.series[0].points[0].details, testing::Contains("3 launches"));
  EXPECT_EQ(chart.guides.size(), 2U);  // memory and FP32: nobody measured the L2
  roofline.l2_bytes_per_s = 400.0;
  const chart::Guide l2 = roofline_chart(roofline).guides.at(1);
  EXPECT_EQ(l2.label, "L2 400 B/s, measured");
  EXPECT_EQ(l2.line.back().x, 2.5);  // 1000 FLOP/s over 400 B/s
  EXPECT_TRUE(chart.series[1].joined);
  EXPECT_EQ(chart.series[1].points[0].x, 0.5);
  EXPECT_EQ(chart.series[1].points[1].x, 2.0);
}

TEST(RooflineChart, CountedPointsSayWhereTheyLie) {
  analyze::Roofline roofline = toy_roofline();
  roofline.series = {series_of("kernels", analyze::PointKind::counted,
                               {{"gemm", 20.0, 500.0, 1.0, 0.75}, {"copy", 1.0, 40.0, 1.0, 0.25}})};
  const chart::Chart chart = roofline_chart(roofline);
  const std::vector<chart::Point>& points = chart.series.at(0).points;
  EXPECT_THAT(points.at(0).details,
              testing::ElementsAre("kernels", "measured 1 s, 75.0 % of the kernels",
                                   "right of the ridge point", "50 % of the highest roof there"));
  EXPECT_THAT(points.at(1).details, testing::Contains("left of the ridge point"));
  EXPECT_THAT(points.at(1).details, testing::Contains("40 % of the highest roof there"));
  EXPECT_THAT(chart.captions,
              testing::Contains(HasSubstr("Counted, a triangle on its tip: a kernel")));
  EXPECT_THAT(chart.captions, testing::Each(testing::Not(HasSubstr("Limit, a tick"))));
  EXPECT_THAT(chart.captions, testing::Each(testing::Not(HasSubstr("above"))));
}

TEST(RooflineChart, BetweenTwoRidges) {
  analyze::Roofline roofline = toy_roofline();
  device::Figure tensor = roofline.device.peaks.at(ArithmeticPath::fp32_vector);
  tensor.value = 4000.0;  // ridge at 40 FLOP/B
  roofline.device.peaks[ArithmeticPath::tf32_tensor] = tensor;
  roofline.paths.insert(ArithmeticPath::tf32_tensor);
  roofline.series = {
      series_of("k", analyze::PointKind::counted, {{"gemm", 20.0, 500.0, 1.0, 1.0}})};
  const chart::Chart chart = roofline_chart(roofline);
  EXPECT_THAT(chart.series.at(0).points.at(0).details,
              testing::Contains("right of the ridge point of FP32, left of that of TF32 tensor"));
  EXPECT_THAT(chart.series.at(0).points.at(0).details,
              testing::Contains("25 % of the highest roof there"));  // of 20 x 100
}

TEST(RooflineChart, PointsAboveTheirRoofAreNamedWithPossibleCauses) {
  using analyze::PointKind;
  analyze::Roofline roofline = toy_roofline();
  roofline.series = {
      // A limit lies on its roof: rounding is nothing to explain.
      series_of("net", PointKind::limit, {{"conv", 1.0, 100.0 * (1.0 + 1e-12), 1.0, 1.0}}),
      series_of("net", PointKind::timed,
                {{"conv", 1.0, 99.0, 1.0, 0.2},
                 {"relu", 1.0, 150.0, 1.0, 0.3},
                 {"pool", 2.0, 900.0, 1.0, 0.5}}),
      series_of("kernels", PointKind::counted, {{"gemm", 20.0, 1250.0, 1.0, 1.0}})};
  const chart::Chart chart = roofline_chart(roofline);
  EXPECT_THAT(chart.captions,
              testing::Contains("2 measured points lie above the memory's slope, first relu"
                                " (net), 1.5 times as high. Possible cause: a cache kept"
                                " data that the model counts as memory traffic."));
  EXPECT_THAT(chart.captions,
              testing::Contains("1 counted point lies above the highest roof, first gemm (kernels),"
                                " 1.25 times as high. Possible cause: FLOPs were counted on a path"
                                " whose roof is not drawn, or the clock was above the peak's."));
  EXPECT_EQ(std::ranges::count_if(chart.captions,
                                  [](const std::string& caption) {
                                    return caption.find("above the") != std::string::npos &&
                                           caption.find("first") != std::string::npos;
                                  }),
            2);
}

TEST(RooflineChart, WithoutRoofsNothingIsSaidOfThem) {
  analyze::Roofline roofline = toy_roofline();
  roofline.device.bandwidth.reset();
  roofline.series = {
      series_of("k", analyze::PointKind::counted, {{"gemm", 20.0, 5000.0, 1.0, 1.0}})};
  const chart::Chart chart = roofline_chart(roofline);
  EXPECT_TRUE(chart.guides.empty());
  EXPECT_EQ(chart.series.at(0).points.at(0).details.size(), 2U);
  EXPECT_THAT(chart.captions, testing::Each(testing::Not(HasSubstr("above the highest"))));
}

}  // namespace
}  // namespace rooflab::report
