#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "base/format.hpp"
#include "chart/renderers.hpp"
#include "example_roofline.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::chart {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Chart one_point(const std::string& label) {
  return {.title = "Title",
          .x = {.label = "Intensity",
                .unit = "FLOP/B",
                .scale = Scale::logarithmic,
                .range = Range{0.1, 1000.0}},
          .y = {.label = "Performance",
                .unit = "FLOP/s",
                .scale = Scale::logarithmic,
                .numbers = NumberStyle::si,
                .range = Range{1e9, 1e13}},
          .series = {{.name = "series", .points = {{.x = 10.0, .y = 1e11, .label = label}}}}};
}

/// Replaces an environment variable for a scope.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value, 1);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() { ::setenv(name_, old_.c_str(), 1); }

 private:
  const char* name_;
  std::string old_;
};

class GnuplotRun : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  }
};

TEST(GnuplotScript, AxesAreLogarithmicWithMarkedDecades) {
  const std::string script = gnuplot_script(one_point("conv1"), Format::svg);
  EXPECT_THAT(script, HasSubstr("set logscale x\n"));
  EXPECT_THAT(script, HasSubstr("set logscale y\n"));
  EXPECT_THAT(script, HasSubstr("set xrange [0.1:1000]\n"));
  EXPECT_THAT(script, HasSubstr("\"0.1\" 0.1 0"));
  EXPECT_THAT(script, HasSubstr("\"1000\" 1000 0"));
  EXPECT_THAT(script, HasSubstr("\"\" 200 1"));  // minor
  EXPECT_THAT(script, HasSubstr("\"100 G\" 1e+11 0"));
  EXPECT_THAT(script, HasSubstr("\"Performance (FLOP/s)\""));
}

TEST(GnuplotScript, ALinearAxisOfAmountsBeginsAtZero) {
  Chart chart = one_point("conv1");
  chart.x = {.label = "Time", .unit = "ms"};
  const std::string script = gnuplot_script(chart, Format::svg);
  EXPECT_THAT(script, Not(HasSubstr("set logscale x")));
  EXPECT_THAT(script, HasSubstr("set yrange [1000000000:1e+13]"));
}

TEST(GnuplotScript, TextsStayWithinTheirQuotes) {
  const std::string script =
      gnuplot_script(one_point("it's `a` \"b\" \\\nset output 'x'"), Format::svg);
  EXPECT_THAT(script, HasSubstr(R"("it\047s \140a\140 \042b\042 \134 set output \047x\047")"));
  EXPECT_THAT(script, Not(HasSubstr("\nset output")));
}

TEST(GnuplotScript, BytesThatAreNotUtf8AreReplaced) {
  const std::string script = gnuplot_script(one_point("a\xff\x1b[2J"), Format::svg);
  EXPECT_THAT(script, HasSubstr("\"a\xEF\xBF\xBD \\133\\062J\""));
}

TEST(GnuplotScript, PointsOnOneSpotShareALabel) {
  Chart chart = one_point("conv1");
  chart.series[0].points.push_back({.x = 10.0, .y = 1e11, .weight = 0.1, .label = "conv2"});
  chart.series[0].points.push_back({.x = 10.0, .y = 1e11, .weight = 0.1, .label = "conv3"});
  const std::string script = gnuplot_script(chart, Format::svg);
  EXPECT_THAT(script, HasSubstr("\"conv1 +2\""));
  EXPECT_THAT(script, Not(HasSubstr("\"conv2")));
}

TEST(GnuplotScript, PointsWithoutAPlaceAreCounted) {
  Chart chart = one_point("conv1");
  chart.series[0].points.push_back({.x = 0.0, .y = 1e11, .label = "zero"});
  chart.series[0].points.push_back({.x = 10.0, .y = 1e15, .label = "above"});
  chart.series[0].points.push_back({.x = std::numeric_limits<double>::quiet_NaN(), .y = 1e11});
  EXPECT_THAT(gnuplot_script(chart, Format::svg), HasSubstr("\"3 points left out\""));
}

TEST(GnuplotScript, LabelsWithoutRoomAreCounted) {
  Chart chart = one_point("conv1");
  const std::string shown = gnuplot_script(chart, Format::svg);
  EXPECT_THAT(shown, Not(HasSubstr("hidden")));
  for (int i = 0; i < 300; ++i) {
    chart.series[0].points.push_back(
        {.x = 10.0 + 0.01 * i, .y = 1e11, .label = format("layer{}", i)});
  }
  EXPECT_THAT(gnuplot_script(chart, Format::svg), HasSubstr(" labels hidden\""));
}

TEST(GnuplotScript, GuidesAreLabelledInPlace) {
  const std::string script = gnuplot_script(example_roofline(false), Format::svg);
  EXPECT_THAT(script, HasSubstr("\"HBM3e 4.8 TB/s\""));
  EXPECT_THAT(script, HasSubstr("\"FP32 66.9 TFLOP/s\""));
  EXPECT_THAT(script, HasSubstr("\"ridge 13.94 FLOP/B\""));
  EXPECT_THAT(script, HasSubstr("\"ridge 103.1 FLOP/B\""));
  EXPECT_THAT(script, HasSubstr("\"limit\""));
}

TEST(GnuplotScript, AGuideWithoutRoomForItsLabelGoesToTheLegend) {
  Chart chart = one_point("conv1");
  // The line is far too short for its name.
  chart.guides = {{.label = "a guide with a long name", .line = {{10.0, 1e10}, {10.5, 1e10}}}};
  const std::string script = gnuplot_script(chart, Format::svg);
  EXPECT_THAT(script, HasSubstr("\"a guide with a long name\" at screen"));
  EXPECT_THAT(script, HasSubstr("set arrow from screen"));  // the line's sample
}

TEST(GnuplotScript, AnEmptyChartIsAFrame) {
  EXPECT_THAT(gnuplot_script({}, Format::png), HasSubstr("plot NaN"));
}

TEST(GnuplotScript, SizesOutOfBoundsAreRefused) {
  EXPECT_THROW((void)gnuplot_script({}, Format::svg, {100, 100}), Error);
  EXPECT_THROW((void)gnuplot_script({}, Format::svg, {1200, 1000000}), Error);
}

TEST(Gnuplot, FormatsAreKnownByExtension) {
  EXPECT_EQ(format_from_extension(".svg"), Format::svg);
  EXPECT_EQ(format_from_extension("PNG"), Format::png);
  EXPECT_EQ(format_from_extension(".pdf"), Format::pdf);
  EXPECT_EQ(format_from_extension(".html"), std::nullopt);
  EXPECT_EQ(format_from_extension(""), std::nullopt);
}

TEST(Gnuplot, MissingProgramIsAMissingCapability) {
  const ScopedVariable no_path("PATH", "");
  EXPECT_EQ(find_gnuplot(), std::nullopt);
  try {
    (void)render_gnuplot(one_point("conv1"), Format::png);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::capability);
    EXPECT_STREQ(error.what(), "a chart as PNG needs gnuplot, which is not installed");
    EXPECT_THAT(error.hint(), HasSubstr("gnuplot-nox"));
  }
}

TEST_F(GnuplotRun, SvgHoldsEveryText) {
  const std::string svg = render_gnuplot(example_roofline(false), Format::svg, {1000, 700});
  EXPECT_THAT(svg, HasSubstr("width=\"1000\" height=\"700\""));
  for (const char* text : {"Roofline of resnet50 on NVIDIA H200 SXM", "conv1.bn +52",
                           "HBM3e 4.8 TB/s", "TF32 tensor 494.7 TFLOP/s", "ridge 13.94 FLOP/B",
                           "Arithmetic intensity (FLOP/B)", "labels hidden"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
}

TEST_F(GnuplotRun, StrangeTextsComeThroughUnharmed) {
  Chart chart = one_point(R"(a"b\n$(x) <b>)");
  chart.title = R"('a "b" \n\\ $(x) <b> ''q'' `ls` {/Symbol a}_2 @m %s &amp; é #")";
  const std::string svg = render_gnuplot(chart, Format::svg);
  EXPECT_THAT(svg, HasSubstr(R"(<text>a"b\n$(x) &lt;b></text>)"));
  EXPECT_THAT(
      svg,
      HasSubstr(
          R"(<text>'a "b" \n\\ $(x) &lt;b> ''q'' `ls` {/Symbol a}_2 @m %s &amp;amp; é #"</text>)"));
}

// Digits behind a sign that is written as an escape are not read as a part of it.
TEST_F(GnuplotRun, DigitsBehindSignsStay) {
  const Chart chart = one_point("a#1 &60 'b'7 $08 (*2) 5%3 \"0\" `1");
  const std::string script = gnuplot_script(chart, Format::svg);
  EXPECT_THAT(script, HasSubstr(R"("a\043\061 \046\066\060 \047b\047\067 \044\0608 (\052\062))"));
  EXPECT_THAT(render_gnuplot(chart, Format::svg),
              HasSubstr(R"(<text>a#1 &amp;60 'b'7 $08 (*2) 5%3 "0" `1</text>)"));
}

TEST_F(GnuplotRun, ALabelCannotRunCommands) {
  const std::filesystem::path trap = std::filesystem::path(testing::TempDir()) / "rooflab_injected";
  std::filesystem::remove(trap);
  const std::string command = "system('touch " + trap.string() + "')";
  Chart chart = one_point("'\n" + command + "\n'");
  chart.title = "\\\n" + command + "\n`touch " + trap.string() + "`";
  chart.captions = {"\"; " + command, "'.' ; " + command + " #", "\\\"; " + command, "\\"};
  chart.series[0].name = "`touch " + trap.string() + "`";
  EXPECT_THAT(render_gnuplot(chart, Format::svg), HasSubstr("</svg>"));
  EXPECT_FALSE(std::filesystem::exists(trap));
}

TEST_F(GnuplotRun, PngAndPdfAreWhatTheySay) {
  EXPECT_THAT(render_gnuplot(one_point("conv1"), Format::png), StartsWith("\x89PNG\r\n\x1a\n"));
  EXPECT_THAT(render_gnuplot(one_point("conv1"), Format::pdf), StartsWith("%PDF-1."));
}

TEST_F(GnuplotRun, EmptyAndJoinedChartsAreDrawn) {
  EXPECT_THAT(render_gnuplot({}, Format::svg), HasSubstr("</svg>"));
  Chart chart = one_point("first");
  chart.series[0].joined = true;
  chart.series[0].points.push_back({.x = 100.0, .y = 1e12});
  for (const Marker marker :
       {Marker::square, Marker::diamond, Marker::triangle, Marker::triangle_down}) {
    chart.series[0].marker = marker;
    EXPECT_THAT(render_gnuplot(chart, Format::svg), HasSubstr("first"));
  }
}

TEST(GnuplotScript, ASeriesWithoutMarkersIsALine) {
  Chart chart = one_point("");
  chart.series[0].name.clear();
  chart.series[0].joined = true;
  chart.series[0].points.push_back({.x = 100.0, .y = 1e12});
  EXPECT_THAT(gnuplot_script(chart, Format::svg), HasSubstr("set object polygon"));
  chart.series[0].marked = false;
  const std::string script = gnuplot_script(chart, Format::svg);
  EXPECT_THAT(script, Not(HasSubstr("set object")));
  EXPECT_THAT(script, HasSubstr("$line0 using 1:2 with lines"));
}

TEST_F(GnuplotRun, PanelsStandBelowEachOther) {
  Chart below = one_point("lower");
  below.x.scale = Scale::linear;
  below.y.scale = Scale::linear;
  const std::vector<Chart> panels = {one_point("upper"), below};
  const std::string svg = render_gnuplot_panels(panels, Format::svg, {.width = 600, .height = 400});
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 600 800\""));
  EXPECT_THAT(svg, HasSubstr("upper"));
  EXPECT_THAT(svg, HasSubstr("lower"));
}

TEST_F(GnuplotRun, TheLocaleDoesNotMatter) {
  const std::string plain = render_gnuplot(one_point("conv1"), Format::svg);
  const ScopedVariable german("LC_ALL", "de_DE.UTF-8");
  EXPECT_EQ(render_gnuplot(one_point("conv1"), Format::svg), plain);
}

}  // namespace
}  // namespace rooflab::chart
