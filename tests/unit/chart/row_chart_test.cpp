#include "chart/row_chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chart/renderers.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::chart {
namespace {

using testing::HasSubstr;
using testing::Not;

RowChart two_rows() {
  RowChart chart;
  chart.title = "Times";
  chart.axis.range = Range{0.0, 100.0};
  chart.rows = {{.label = "a", .bars = {{0.0, 50.0, 0}}, .text = "2 ms"},
                {.group = "g", .label = "b\"; system('x')", .marks = {{25.0, Marker::circle, 1}}}};
  return chart;
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++found;
  return found;
}

TEST(RowChart, IsAsHighAsItsRows) {
  RowChart chart = two_rows();
  for (int i = 0; i < 10; ++i) chart.rows.push_back(chart.rows.front());
  const Size ten = size_of(chart, 800);
  chart.rows.push_back(chart.rows.front());
  EXPECT_EQ(size_of(chart, 800).height, ten.height + 22);
}

TEST(RowChart, DrawsBarsAndMarks) {
  const std::string script = gnuplot_script(two_rows(), Format::svg, 800);
  EXPECT_EQ(count(script, "set object rectangle"), 1U);
  EXPECT_EQ(count(script, "set object polygon"), 1U);
  EXPECT_THAT(script, HasSubstr("\"2 ms\""));
  // A text never ends its quotes.
  EXPECT_THAT(script, Not(HasSubstr("system('")));
}

TEST(RowChart, WhatHasNoPlaceIsNotDrawn) {
  RowChart chart = two_rows();
  chart.rows.front().bars = {{0.0, 500.0, 0}, {60.0, 40.0, 0}};
  EXPECT_EQ(count(gnuplot_script(chart, Format::svg, 800), "set object rectangle"), 0U);
}

TEST(RowChart, RefusesTooManyRows) {
  RowChart chart;
  chart.rows.resize(most_chart_rows + 1);
  EXPECT_THROW((void)size_of(chart, 800), Error);
}

TEST(Pictures, EachHasItsOwnContent) {
  if (!find_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  Chart chart;
  chart.title = "Lines";
  chart.series.push_back({.name = "s", .points = {{1.0, 1.0}, {2.0, 4.0}}});
  const std::vector<Picture> pictures = {{chart, {}}, {two_rows(), {.width = 800}}};
  const std::vector<Format> formats = {Format::svg, Format::pdf};
  const auto contents = render_pictures(pictures, formats);
  ASSERT_EQ(contents.size(), 2U);
  EXPECT_THAT(contents[0].at(0), HasSubstr("Lines"));
  EXPECT_THAT(contents[1].at(0), HasSubstr("Times"));
  // Nothing of the picture before is left.
  EXPECT_THAT(contents[1].at(0), Not(HasSubstr("Lines")));
  EXPECT_THAT(contents[1].at(1), testing::StartsWith("%PDF"));
  EXPECT_EQ(contents[0].at(0), render_gnuplot(chart, Format::svg));
}

}  // namespace
}  // namespace rooflab::chart
