#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "chart/renderers.hpp"
#include "example_roofline.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::chart {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t letters_in(const std::string& line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

TEST(TerminalDrawing, IsThisForASmallRoofline) {
  // Slope 1, so that the roof's corner at (100, 100) lies in the middle of the decades 1 to 10^4.
  Chart chart{
      .title = "Small",
      .x = {.label = "Intensity", .scale = Scale::logarithmic, .range = Range{1.0, 10000.0}},
      .y = {.scale = Scale::logarithmic, .range = Range{1.0, 1000.0}},
      .guides = {bandwidth_roof("", 1.0, 100.0), peak_roof("peak", 100.0, 1.0, 0)},
      .vertical_guides = {ridge_point(100.0, 1.0, 0)},
      .series = {{.points = {{.x = 1000.0, .y = 10.0, .weight = 0.5, .label = "conv1"},
                             {.x = 1000.0, .y = 10.0, .weight = 0.1, .label = "conv2"},
                             {.x = 10.0, .y = 1.0, .weight = 0.9, .label = "relu"}}}}};
  // 47 columns less six for the axis are 41: ten to a decade. Ten rows: three to a decade, so that
  // the slope takes 3 1/3 columns to a row. The dashed ridge line takes every other row from its
  // foot.
  const std::string expected =
      "Small\n"
      "1000 +\n"
      "     |\n"
      "     |                                     peak\n"
      " 100 +                   /---------------------\n"
      "     |                ///\n"
      "     |            ////    |\n"
      "  10 +         ///                  b\n"
      "     |      ///           |\n"
      "     |  ////\n"
      "   1 +//        a         | ridge 100 FLOP/B\n"
      "     ++---------+---------+---------+---------+\n"
      "      1        10        100      1000    10000\n"
      "                      Intensity\n"
      "\n"
      "a relu      10, 1      b conv1 +1  1000, 10\n";
  EXPECT_EQ(render_terminal(chart, {.columns = 47, .rows = 14, .ascii = true}), expected);
}

class AnyWidth : public testing::TestWithParam<int> {};

TEST_P(AnyWidth, IsNeverExceeded) {
  for (const bool ascii : {false, true}) {
    std::istringstream lines(render_terminal(example_roofline(true),
                                             {.columns = GetParam(), .rows = 30, .ascii = ascii}));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(letters_in(line), static_cast<std::size_t>(GetParam())) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Columns, AnyWidth, testing::Values(40, 57, 80, 132, 200));

TEST(TerminalDrawing, ShowsRoofsRidgesAndLegend) {
  const std::string text = render_terminal(example_roofline(false), {.columns = 110, .rows = 30});
  for (const char* part : {"Roofline of resnet50 on NVIDIA H200 SXM", "HBM3e 4.8 TB/s",
                           "FP32 66.9 TFLOP/s", "TF32 tensor 494.7 TFLOP/s", "ridge 13.94 FLOP/B",
                           "ridge 103.1 FLOP/B", "a conv1.bn +52", "0.5 FLOP/B, 2.4 TFLOP/s"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(TerminalDrawing, AsciiIsAscii) {
  Chart chart = example_roofline(true);
  chart.title = "Größe";
  const std::string text = render_terminal(chart, {.ascii = true});
  EXPECT_TRUE(
      std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  EXPECT_THAT(text, HasSubstr("Gr??e"));
}

TEST(TerminalDrawing, TextsCannotControlTheTerminal) {
  Chart chart = example_roofline(false);
  chart.title =
      "a\x1b]0;title\x07 b\r\n\xC2\x9B"
      "31m";
  const std::string text = render_terminal(chart);
  EXPECT_THAT(text, HasSubstr("a ]0;title  b   31m"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(TerminalDrawing, ManyPointsShareTheLettersOfTheHeaviest) {
  const std::string text = render_terminal(example_roofline(true), {.columns = 110, .rows = 30});
  EXPECT_THAT(text, HasSubstr("\nz "));
  EXPECT_THAT(text, HasSubstr("more places with points"));
}

// Points and their letters in the colour of their series; what has no label is a dot, a tick a
// line.
TEST(TerminalDrawing, ColoursLettersAndTicks) {
  Chart chart;
  chart.series = {{.name = "first", .color = 0, .points = {{1.0, 1.0, 0.9, "conv"}}},
                  {.name = "second", .color = 2, .points = {{2.0, 2.0, 0.5, ""}}},
                  {.name = "limit", .marker = Marker::tick, .color = 2, .points = {{3.0, 3.0}}}};
  const std::string plain = render_terminal(chart);
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  EXPECT_THAT(plain, HasSubstr("a conv (first)"));
  EXPECT_THAT(plain, Not(HasSubstr("b ")));
  EXPECT_THAT(plain, HasSubstr("1 more places with points"));
  const std::string colored = render_terminal(chart, {.color = true});
  EXPECT_THAT(colored, HasSubstr("\x1b[34ma\x1b[0m conv"));
  EXPECT_THAT(colored, HasSubstr("\x1b[32m•\x1b[0m"));
  EXPECT_THAT(colored, HasSubstr("\x1b[32m─\x1b[0m"));
}

TEST(TerminalDrawing, AnEmptyChartIsAFrame) { EXPECT_THAT(render_terminal({}), HasSubstr("└")); }

TEST(TerminalDrawing, WidthsOutOfBoundsAreRefused) {
  EXPECT_THROW((void)render_terminal({}, {.columns = 39}), Error);
  EXPECT_THROW((void)render_terminal({}, {.columns = 100000}), Error);
}

}  // namespace
}  // namespace rooflab::chart
