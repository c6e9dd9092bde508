#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "chart/renderers.hpp"
#include "example_roofline.hpp"

namespace rooflab::chart {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view strange = R"(a"b\n$(x) <b> </script><!-- %{x} &lt;)";

Chart strange_chart() {
  Chart chart = example_roofline(false);
  chart.title = strange;
  chart.captions = {std::string(strange)};
  chart.guides[0].label = strange;
  chart.series = {
      {.name = std::string(strange),
       .marker = Marker::square,
       .color = 3,
       .points = {{.x = 100.0, .y = 1e13, .label = std::string(strange), .details = {"<i>\xff"}}}}};
  return chart;
}

int count_of(std::string_view needle, std::string_view text) {
  int count = 0;
  for (std::size_t at = text.find(needle); at != text.npos; at = text.find(needle, at + 1)) ++count;
  return count;
}

TEST(PlotlyFigure, HasATracePerGuideAndSeriesWithAllPoints) {
  const Json figure = plotly_figure(example_roofline(true));
  ASSERT_EQ(figure["data"].size(), 5U);  // three roofs, two series
  for (int i = 0; i < 3; ++i) EXPECT_EQ(figure["data"][i]["mode"], "lines");
  // 53 convolutions and as many normalisations.
  for (int i = 3; i < 5; ++i) {
    EXPECT_EQ(figure["data"][i]["mode"], "markers");
    for (const char* key : {"x", "y", "hovertext"}) EXPECT_EQ(figure["data"][i][key].size(), 106U);
    EXPECT_EQ(figure["data"][i]["marker"]["size"].size(), 106U);
  }
  EXPECT_EQ(figure["data"][3]["marker"]["symbol"], "diamond");
  EXPECT_EQ(figure["data"][4]["marker"]["symbol"], "circle");
}

TEST(PlotlyFigure, AxesAreLogarithmicAndRangesTheirDecimalLogarithms) {
  Chart chart = example_roofline(false);
  chart.x.range = Range{0.1, 1000.0};
  const Json layout = plotly_figure(chart)["layout"];
  EXPECT_EQ(layout["xaxis"]["type"], "log");
  EXPECT_NEAR(layout["xaxis"]["range"][0].get<double>(), -1.0, 1e-12);
  EXPECT_NEAR(layout["xaxis"]["range"][1].get<double>(), 3.0, 1e-12);
  EXPECT_EQ(layout["xaxis"]["title"]["text"], "Arithmetic intensity (FLOP/B)");
}

TEST(PlotlyFigure, TheSlopeFollowsTheBandwidthBeyondThePlot) {
  Chart chart = example_roofline(false);
  chart.x.range = Range{0.1, 1000.0};
  const Json slope = plotly_figure(chart)["data"][0];
  ASSERT_EQ(slope["x"].size(), 2U);
  for (int i = 0; i < 2; ++i) {
    const double x = slope["x"][i].get<double>();
    EXPECT_NEAR(slope["y"][i].get<double>() / x / 4.8e12, 1.0, 1e-9);
  }
  EXPECT_LT(slope["x"][0].get<double>(), 0.01);
  EXPECT_NEAR(slope["x"][1].get<double>(), 494.7 / 4.8, 1e-9);
}

TEST(PlotlyFigure, ALabelIsAnAnnotationAtItsPoint) {
  Chart chart = example_roofline(false);
  chart.guides.clear();
  chart.vertical_guides.clear();
  chart.series = {{.name = "s", .points = {{.x = 100.0, .y = 1e12, .label = "conv1"}}}};
  const Json annotations = plotly_figure(chart)["layout"]["annotations"];
  ASSERT_EQ(annotations.size(), 1U);
  EXPECT_EQ(annotations[0]["text"], "conv1");
  EXPECT_EQ(annotations[0]["x"], 2.0);
  EXPECT_EQ(annotations[0]["y"], 12.0);
  EXPECT_GT(annotations[0]["xshift"].get<double>(), 0.0);  // right of the marker
}

TEST(PlotlyFigure, TextsAreNoMarkup) {
  const Json figure = plotly_figure(strange_chart());
  const std::string escaped = R"(a"b\n$(x) &lt;b&gt; &lt;/script&gt;&lt;!-- %{x} &amp;lt;)";
  EXPECT_EQ(figure["data"][0]["name"], escaped);
  EXPECT_EQ(figure["data"][3]["name"], escaped);
  EXPECT_EQ(figure["data"][3]["hovertext"][0],
            "<b>" + escaped + "</b><br>100 FLOP/B, 10 TFLOP/s<br>&lt;i&gt;\xEF\xBF\xBD");
  EXPECT_FALSE(figure["data"][3].contains("hovertemplate"));
}

TEST(PlotlyFigure, SendsNothingAnywhere) {
  const Json config = plotly_figure(example_roofline(false))["config"];
  EXPECT_EQ(config["showSendToCloud"], false);
  EXPECT_EQ(config["plotlyServerURL"], "");
}

TEST(PlotlyFigure, SaysWhatItDoesNotShow) {
  Chart chart = example_roofline(false);
  chart.series[0].points.push_back({.x = 0.0, .y = 1.0, .label = "no bytes"});
  const Json figure = plotly_figure(chart);
  EXPECT_EQ(figure["layout"]["meta"]["left_out_points"], 1);
  EXPECT_EQ(figure["data"][3]["x"].size(), 106U);
}

TEST(PlotlyFigure, ASeriesWithoutMarkersIsALine) {
  Chart chart;
  chart.series = {
      {.name = "power", .joined = true, .points = {{.x = 1, .y = 2}, {.x = 2, .y = 3}}}};
  EXPECT_EQ(plotly_figure(chart)["data"][0]["mode"], "lines+markers");
  chart.series[0].marked = false;
  const Json figure = plotly_figure(chart);
  EXPECT_EQ(figure["data"][0]["mode"], "lines");
  EXPECT_EQ(figure["data"][0]["x"], Json::parse("[1.0, 2.0]"));
  EXPECT_EQ(figure["data"][0]["y"], Json::parse("[2.0, 3.0]"));
}

TEST(HtmlFragment, NothingInTheChartEndsTheScript) {
  const std::string html = render_html_fragment(strange_chart(), "chart-1");
  EXPECT_EQ(count_of("</script", html), 1);
  EXPECT_EQ(count_of("<script", html), 1);
  EXPECT_EQ(count_of("<!--", html), 0);
  EXPECT_THAT(html, HasSubstr("<div class=\"rooflab-chart\" id=\"chart-1\" data-points=\""));
  EXPECT_THAT(html, HasSubstr("getElementById(\"chart-1\")"));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt; &lt;/script&gt;&lt;!--"));  // the caption
}

// A label without room is where the pointer rests.
TEST(HtmlFragment, CaptionsAndWhatIsLeftOutStandBelow) {
  Chart chart = example_roofline(true);
  chart.y.range = {1e13, 1e15};
  const std::string html = render_html_fragment(chart, "c", {800, 500});
  EXPECT_THAT(html, HasSubstr("<figcaption>NVIDIA H200 SXM 141 GB: FP32 66.9 TFLOP/s"));
  EXPECT_THAT(html, HasSubstr(" points left out</figcaption>"));
}

TEST(HtmlImage, IsAnSvgWithinThePage) {
  if (!find_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string html = render_html_image(strange_chart());
  // Base64 of `<?xml version`.
  EXPECT_THAT(html, HasSubstr("src=\"data:image/svg+xml;base64,PD94bWwgdmVyc2lvb"));
  EXPECT_THAT(html, HasSubstr("alt=\"a&quot;b"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace rooflab::chart
