#include "chart/html_strip.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../trace/trace_record.hpp"
#include "report/step_strips.hpp"
#include "rooflab/trace/trace_analysis.hpp"

namespace rooflab::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// 1200 us: a column is 1 us.
chart::Strip strip_of_runs(std::vector<chart::StripRun> runs) {
  return {.label = "a <step>",
          .length_s = 1200e-6,
          .rows = {{"device", std::move(runs)}},
          .kinds = {"convolution", "copies"},
          .remark = "It is busy."};
}

std::string html_of(const chart::Strip& strip, const std::string& command = "") {
  return chart::html_strips({&strip, 1}, command);
}

TEST(HtmlStrip, AColumnIsAPartOfTheTime) {
  const std::string html = html_of(strip_of_runs({{0.0, 300e-6, 0}, {600e-6, 1200e-6, 1}}));
  EXPECT_THAT(html, HasSubstr("<path class=\"hue0\" d=\"M0 24v-24h300v24z\"/>"));
  EXPECT_THAT(html, HasSubstr("<path class=\"hue1\" d=\"M600 24v-24h600v24z\"/>"));
  EXPECT_THAT(html, HasSubstr("aria-label=\"a &lt;step&gt;, device: convolution 25.0 %, copies"
                              " 50.0 %\""));
  EXPECT_THAT(html, HasSubstr("<span>0</span><span>600 us</span><span>1.2 ms</span>"));
  EXPECT_THAT(html, Not(HasSubstr("<step>")));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

// In the first column a quarter is busy, in the second a thousandth: seen, and two pixels high.
TEST(HtmlStrip, AColumnIsAsHighAsItIsBusy) {
  const std::string html = html_of(strip_of_runs({{0.0, 0.25e-6, 0}, {1.5e-6, 1.501e-6, 0}}));
  EXPECT_THAT(html, HasSubstr("d=\"M0 24v-6h1v6zM1 24v-2h1v2z\""));
}

// 0.6 us of copies and 0.4 us of convolutions: full, and of the colour of copies.
TEST(HtmlStrip, AColumnHasTheColourOfMostOfItsWork) {
  const std::string html = html_of(strip_of_runs({{0.0, 0.4e-6, 0}, {0.4e-6, 1e-6, 1}}));
  EXPECT_THAT(html, HasSubstr("<path class=\"hue1\" d=\"M0 24v-24h1v24z\"/>"));
  EXPECT_THAT(html, Not(HasSubstr("<path class=\"hue0\"")));
}

TEST(HtmlStrip, SaysHowToGetTheTimeline) {
  const chart::Strip strip = strip_of_runs({{0.0, 1e-6, 0}});
  EXPECT_THAT(html_of(strip, "rooflab x -o FILE.trace.json"),
              HasSubstr("<code>rooflab x -o FILE.trace.json</code>"));
  EXPECT_THAT(html_of(strip), HasSubstr("opens the trace itself"));
  EXPECT_EQ(chart::html_strips({}, "x"), "");
}

analyze::ImportedCase imported(const trace::TraceRecord& made) {
  analyze::ImportedCase result;
  result.title = "t.json";
  result.record = made.record();
  result.trace = trace::analyze_trace(result.record);
  return result;
}

// Two steps of 100 ns: in the first a convolution of 40, a gap of 20, a copy of 20, idle again.
TEST(StepStrips, OneForEachStepOfATrace) {
  trace::TraceRecord made;
  made.annotation("ProfilerStep#1", 0, 100).annotation("ProfilerStep#2", 100, 100);
  made.op("aten::conv2d", 0, 30).op("aten::convolution", 5, 20);
  made.kernel("implicit_convolve_sgemm", 10, 40).kernel("ncclDevKernel_AllReduce_Sum", 120, 30);
  made.copy(record::CopyKind::memcpy, 70, 20);
  const std::vector<chart::Strip> strips = strips_of(imported(made));
  ASSERT_EQ(strips.size(), 2U);
  EXPECT_EQ(strips[0].label, "t.json, step 1");
  EXPECT_NEAR(strips[0].length_s, 100e-9, 1e-15);
  EXPECT_EQ(strips[0].remark, "The device is busy 60.0 % of 100 ns; its longest gap takes 20 ns.");
  std::vector<std::string> rows;
  for (const chart::StripRow& row : strips[0].rows) rows.push_back(row.name);
  EXPECT_THAT(rows, ElementsAre("device", "host"));
  ASSERT_EQ(strips[0].rows[0].runs.size(), 2U);
  EXPECT_NEAR(strips[0].rows[0].runs[0].begin_s, 10e-9, 1e-15);
  EXPECT_EQ(strips[0].kinds[static_cast<std::size_t>(strips[0].rows[0].runs[0].kind)],
            "convolution");
  EXPECT_EQ(strips[0].kinds[static_cast<std::size_t>(strips[0].rows[0].runs[1].kind)], "copies");
  EXPECT_EQ(strips[0].rows[1].runs.size(), 1U);  // the outermost op
  ASSERT_EQ(strips[1].rows.size(), 1U);
  EXPECT_EQ(strips[1].rows[0].name, "communication");
}

TEST(StepStrips, AFewStepsAreEnough) {
  trace::TraceRecord made;
  for (int step = 0; step < 5; ++step) {
    made.annotation("ProfilerStep#" + std::to_string(step), 100 * step, 100);
    made.kernel("gemm", 100 * step + 10, 40);
  }
  const std::vector<chart::Strip> strips = strips_of(imported(made));
  ASSERT_EQ(strips.size(), 3U);
  EXPECT_THAT(strips[2].remark, HasSubstr("The other 2 steps are not drawn."));
}

TEST(StepStrips, NothingWithoutATimeline) {
  EXPECT_TRUE(strips_of(analyze::ImportedCase{}).empty());
  EXPECT_FALSE(strip_of(analyze::CaseResult{}));
}

}  // namespace
}  // namespace rooflab::report
