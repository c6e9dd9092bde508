#include "rooflab/report/roofline_chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../analyze/networks.hpp"

namespace rooflab::report {
namespace {

using testing::HasSubstr;

chart::Chart chart_of(const analyze::CaseResult& result) {
  const analyze::CaseResult* const cases[] = {&result};
  return roofline_chart(analyze::roofline_of(cases, analyze::PointPer::layer));
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

TEST(RooflineChart, APointForEveryLayerWithFlops) {
  const analyze::CaseResult result = analyze::case_of("resnet18", "t4");
  int with_flops = 0;
  for (const analyze::LayerRow& layer : result.layers) with_flops += layer.flops() > Flops(0);
  EXPECT_EQ(with_flops, 68);  // 69 nodes, one of them the view `flatten`
  EXPECT_EQ(point_count(chart_of(result)), 68);
}

TEST(RooflineChart, WithoutALimitTheCaptionSaysSo) {
  const chart::Chart chart =
      chart_of(analyze::case_of("resnet18", "t4", 1, Phase::inference, Precision::bf16));
  EXPECT_EQ(point_count(chart), 0);
  EXPECT_THAT(chart.captions, testing::Contains(HasSubstr("no limit, no points")));
}

}  // namespace
}  // namespace rooflab::report
