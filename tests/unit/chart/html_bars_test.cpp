#include "chart/html_bars.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/format.hpp"

namespace rooflab::chart {
namespace {

using testing::HasSubstr;
using testing::Not;

/// 3 s and 1 s; then 1 s and 1 s of two others.
std::vector<Bar> two_bars() {
  return {{"first", "4 s", {{"convolution", 3.0, "3 s"}, {"pooling", 1.0, "1 s"}}},
          {"second", "2 s", {{"pooling", 1.0, "1 s"}, {"copy", 1.0, ""}}}};
}

int times_in(std::string_view needle, std::string_view text) {
  int count = 0;
  for (std::size_t at = text.find(needle); at != text.npos; at = text.find(needle, at + 1)) ++count;
  return count;
}

TEST(HtmlBars, ANameHasOneColourInAllBars) {
  const std::vector<Bar> bars = two_bars();
  const std::string html = html_bars(bars, BarScale::share);
  EXPECT_EQ(times_in("<b>", html), 0);                       // colours are enough
  EXPECT_EQ(times_in("background-color:#D55E00", html), 3);  // palette.hpp's second colour
  EXPECT_EQ(times_in("background-color:#0072B2;color:#ffffff", html), 2);
}

// A class of ops has its colour on every page, whatever comes before it.
TEST(HtmlBars, AColourCanBeGiven) {
  const std::vector<Bar> bars = {
      {"bar", "", {{"copies", 1.0, "", 4}, {"convolution", 1.0, "", 0}}}};
  const std::string html = html_bars(bars, BarScale::share);
  EXPECT_EQ(times_in("background-color:#E69F00", html), 2);
  EXPECT_EQ(times_in("background-color:#0072B2", html), 2);
  EXPECT_LT(html.find("</span>convolution"), html.find("</span>copies"));  // by colour
}

// More names than colours: letters and patterns tell them apart.
TEST(HtmlBars, ManyNamesHaveLetters) {
  Bar bar{.label = "bar", .text = "", .parts = {}};
  for (int i = 0; i < 9; ++i) bar.parts.push_back({std::string(1, char('p' + i)), 1.0, ""});
  const std::string html = html_bars(std::vector{bar}, BarScale::share);
  EXPECT_THAT(html, HasSubstr("<b>i</b></span>x"));
  EXPECT_THAT(html, HasSubstr("swatch striped"));
}

TEST(HtmlBars, PartsGrowByTheirShareAndSayIt) {
  const std::vector<Bar> bars = two_bars();
  const std::string html = html_bars(bars, BarScale::share);
  EXPECT_THAT(html, HasSubstr("flex-grow:750.0000;"));
  EXPECT_THAT(html, HasSubstr("title=\"convolution: 75.0 % (3 s)\"><i>75.0 %</i>"));
  EXPECT_THAT(html, HasSubstr("aria-label=\"first, 4 s: convolution: 75.0 % (3 s), pooling: 25.0 %"
                              " (1 s)\""));
  EXPECT_THAT(html, HasSubstr("title=\"copy: 50.0 %\""));
  EXPECT_EQ(times_in("width:100.000%", html), 2);
}

TEST(HtmlBars, OneScaleForAll) {
  const std::vector<Bar> bars = two_bars();
  const std::string html = html_bars(bars, BarScale::absolute);
  EXPECT_EQ(times_in("width:100.000%", html), 1);
  EXPECT_EQ(times_in("width:50.000%", html), 1);
  EXPECT_THAT(html, HasSubstr("All bars are on one scale."));
}

// On the widest page a track has 920 px: 3 px are 0.33 % of it. Of 1000 s in all, 2 s and 1 s are
// narrower and one part; their words stay. In a bar of 5 s all parts are narrow.
TEST(HtmlBars, NarrowPartsAreOne) {
  const std::vector<Bar> bars = {
      {"long", "1 ks", {{"copy", 2.0, "2 s"}, {"gemm", 997.0, "997 s"}, {"fill", 1.0, "1 s"}}},
      {"short", "3 s", {{"copy", 1.0, "1 s"}, {"gemm", 2.0, "2 s"}}}};
  const std::string html = html_bars(bars, BarScale::absolute);
  EXPECT_EQ(times_in("<span class=\"part", html), 3);
  EXPECT_THAT(html, HasSubstr("flex-grow:3.0000;"));
  EXPECT_THAT(html, HasSubstr("title=\"rest: 0.3 % (copy: 0.2 % (2 s), fill: 0.1 % (1 s))\""));
  EXPECT_THAT(html, HasSubstr("</span>gemm"));
  EXPECT_THAT(html, HasSubstr("</span>rest"));
  EXPECT_THAT(html, Not(HasSubstr("</span>copy")));
  EXPECT_THAT(html, HasSubstr("aria-label=\"long, 1 ks: copy: 0.2 % (2 s), gemm: 99.7 % (997 s),"
                              " fill: 0.1 % (1 s)\""));
  // One narrow part alone keeps its name.
  const std::vector<Bar> one = {{"long", "", {{"copy", 1.0, ""}, {"gemm", 999.0, ""}}}};
  EXPECT_THAT(html_bars(one, BarScale::share), HasSubstr("</span>copy"));
}

TEST(HtmlBars, WhatCannotBeDrawnIsSaid) {
  const std::vector<Bar> bars = {{"case",
                                  "",
                                  {{"copy", 2.0, "2 s"},
                                   {"idle", -1.0, "-1 s"},
                                   {"absent", 0.0, "0 s"},
                                   {"lost", std::numeric_limits<double>::quiet_NaN(), "?"}}}};
  const std::string html = html_bars(bars, BarScale::share);
  EXPECT_THAT(html, HasSubstr("not drawn: idle: -1 s; lost: ?"));
  EXPECT_THAT(html, HasSubstr("copy: 100.0 % (2 s), idle: -1 s, not drawn, absent: 0 s, not drawn, "
                              "lost: ?, not drawn"));
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  const std::vector<Bar> nothing = {{"case", "", {}}};
  EXPECT_THAT(html_bars(nothing, BarScale::absolute), HasSubstr("aria-label=\"case: nothing\""));
  EXPECT_EQ(html_bars({}, BarScale::share), "");
}

TEST(HtmlBars, SevenColoursThenAPattern) {
  std::vector<Bar> bars = {{"case", "", {}}};
  for (int i = 0; i < 28; ++i) bars[0].parts.push_back({format("name {}", i), 1.0, ""});
  const std::string html = html_bars(bars, BarScale::share);
  EXPECT_THAT(html, HasSubstr("<span class=\"swatch \" style=\"background-color:#7A7A7A"));
  EXPECT_THAT(html, HasSubstr("<span class=\"swatch striped\" style=\"background-color:#0072B2"));
  EXPECT_THAT(html, HasSubstr("<b>z</b></span>name 25"));
  EXPECT_THAT(html, HasSubstr("<b>aa</b></span>name 26"));
}

TEST(HtmlBars, NamesAreText) {
  const std::vector<Bar> bars = {
      {"<img src=x onerror=alert(1)>", "<b>", {{"\"><script>alert(1)</script>", 1.0, "'\xff"}}}};
  const std::string html = html_bars(bars, BarScale::share);
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, HasSubstr("&lt;img src=x onerror=alert(1)&gt;"));
  EXPECT_THAT(html, HasSubstr("title=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;: 100.0 %"
                              " (&#39;\xEF\xBF\xBD)\""));
}

}  // namespace
}  // namespace rooflab::chart
