#include "report/page_head.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chart/html_dots.hpp"

namespace rooflab::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

HeadCase expected(std::string model, std::string device, double predicted_s,
                  std::string verdict = "fits") {
  HeadCase head{std::move(model), std::move(device), {"batch 64", "inference", "fp32"}, 64};
  head.limit_s = predicted_s / 2.0;
  head.predicted_s = predicted_s;
  head.low_s = 0.8 * predicted_s;
  head.high_s = 1.25 * predicted_s;
  head.verdict = std::move(verdict);
  return head;
}

TEST(PageHead, ATitleSaysWhatThePageIsAbout) {
  std::vector<HeadCase> cases = {expected("resnet18", "t4", 0.05), expected("vgg16", "t4", 0.3)};
  EXPECT_EQ(head_title(cases), "resnet18, vgg16 on t4: batch 64, inference, fp32");
  cases[1].settings[0] = "batch 1";
  EXPECT_EQ(head_title(cases), "resnet18, vgg16 on t4: batch 64, batch 1, inference, fp32");
  for (const char* const device : {"a", "b", "c"}) cases.push_back(expected("vgg16", device, 1.0));
  EXPECT_EQ(head_title(cases), "resnet18, vgg16 on 4 devices: batch 64, batch 1, inference, fp32");
}

TEST(PageHead, OneCaseHasItsTimeItsIntervalAndItsLimit) {
  EXPECT_THAT(head_answer(std::vector{expected("resnet18", "t4", 0.05)}),
              ElementsAre("A step of resnet18 on t4 is expected to take 50 ms, 40 ms to 62.5 ms in "
                          "nine of ten cases; the limit is 25 ms.",
                          "It fits in memory."));
  HeadCase measured = expected("resnet18", "t4", 0.05, "ok");
  measured.measured_s = 0.07;
  EXPECT_EQ(head_answer(std::vector{measured}).front(),
            "A step of resnet18 on t4 takes 70 ms, where 50 ms is predicted, outside its interval; "
            "the limit is 25 ms.");
  HeadCase bound{"resnet18", "mi300x", {"batch 1"}, 1};
  bound.limit_s = 0.001;
  EXPECT_THAT(head_answer(std::vector{bound}),
              ElementsAre("A step of resnet18 on mi300x takes 1 ms or more: a limit, not a "
                          "prediction."));
}

// resnet18: 60 over 20 ms; vgg16: 300 over 90.
TEST(PageHead, DevicesStandBesideEachOther) {
  const std::vector<HeadCase> cases = {
      expected("resnet18", "a100", 0.020), expected("resnet18", "t4", 0.060),
      expected("vgg16", "a100", 0.090), expected("vgg16", "t4", 0.300, "oom")};
  EXPECT_THAT(head_answer(cases),
              ElementsAre("a100 is expected to be 3 to 3.3 times as fast as t4.",
                          "Memory: fits: 3; oom: 1 (vgg16 on t4)."));
}

// 20 ms of an mi300x that nobody measured; 30 and 60 of devices with measurements.
TEST(PageHead, DevicesThatAreCarriedFarComeBehindTheOthers) {
  std::vector<HeadCase> cases = {expected("resnet18", "mi300x", 0.020),
                                 expected("resnet18", "h200", 0.030),
                                 expected("resnet18", "h100", 0.060)};
  cases[0].carried_far = true;
  EXPECT_THAT(head_answer(cases),
              ElementsAre("h200 is expected to be 2 times as fast as h100.",
                          "Carried far, from measurements on other architectures: mi300x is "
                          "expected to be 1.5 times as fast as h200.",
                          "Each of the 3 cases fits in memory."));
  EXPECT_THAT(head_dots(cases)[0].remark, HasSubstr("samples/s, carried far"));
  cases[2].carried_far = true;
  EXPECT_THAT(head_answer(cases)[0],
              HasSubstr("on other architectures: 2 devices, of which mi300x is expected"));
  cases[1].carried_far = true;
  EXPECT_THAT(head_answer(cases),
              ElementsAre("mi300x is expected to be 1.5 times as fast as h200, 3 times as fast as "
                          "h100.",
                          "All are carried far, from measurements on other architectures.",
                          "Each of the 3 cases fits in memory."));
  // What was measured is not carried.
  for (HeadCase& each : cases) each.measured_s = each.predicted_s;
  EXPECT_EQ(head_answer(cases)[0], "mi300x is 1.5 times as fast as h200, 3 times as fast as h100.");
}

TEST(PageHead, BatchesOfOneNetworkSayWhichGivesMost) {
  std::vector<HeadCase> cases = {expected("resnet18", "t4", 0.010),
                                 expected("resnet18", "t4", 0.05)};
  cases[0].settings[0] = "batch 1";
  cases[0].batch = 1;
  EXPECT_EQ(head_answer(cases).front(),
            "A step takes 10 ms to 50 ms: least for batch 1, inference, fp32, most for batch 64, "
            "inference, fp32. batch 64, inference, fp32 gives most samples per second, 1,280: 13 "
            "times those of batch 1, inference, fp32.");
}

TEST(PageHead, RowsAreByNetworkThenByTime) {
  HeadCase measured = expected("vgg16", "t4", 0.3, "failed");
  measured.is_measurement = true;
  EXPECT_THAT(head_answer(std::vector{measured, measured}),
              ElementsAre("Each measurement ended as failed."));
  const std::vector<chart::Dot> dots =
      head_dots(std::vector{expected("resnet18", "t4", 0.060), expected("vgg16", "t4", 0.3),
                            expected("resnet18", "a100", 0.020)});
  ASSERT_EQ(dots.size(), 3U);
  EXPECT_EQ(dots[0].label, "a100");
  EXPECT_EQ(dots[1].label, "t4");
  EXPECT_EQ(dots[2].group, "vgg16");
  EXPECT_EQ(dots[0].value, "20 ms");
  EXPECT_EQ(dots[0].remark, "3,200 samples/s");
}

TEST(PageHead, TheFootSaysWhatPredictionsRestOn) {
  analyze::CaseResult result;
  result.device.id = "t4";
  page::Document document;
  show_head(document, std::vector{head_case(result)});
  EXPECT_THAT(document.bases, ElementsAre());
  result.calibration = {.id = "h200-sxm", .device = "h200-sxm", .date = "2026-11-19T10:00:00Z"};
  show_head(document, std::vector{head_case(result), head_case(result)});
  EXPECT_THAT(document.bases,
              ElementsAre("Predictions for t4: calibration h200-sxm, measured 2026-11-19."));
}

// From 10 to 1000 ms and 6 % of air: 10 ms lies at 0.06 / 1.12, 100 ms in the middle.
TEST(HtmlDots, PlacesAreOnALogarithmicAxis) {
  chart::Dot dot{.group = "net", .label = "<b>"};
  dot.limit = 0.01;
  dot.predicted = 0.1;
  dot.measured = 1.0;
  dot.verdict = "oom";
  const std::string html = chart::html_dots(std::vector{dot});
  EXPECT_THAT(html, HasSubstr("<i class=\"bound\" style=\"left:5.36%\">"));
  EXPECT_THAT(html, HasSubstr("<i class=\"disc\" style=\"left:50.00%\""));
  EXPECT_THAT(html, HasSubstr("<i class=\"gem\" style=\"left:94.64%\""));
  EXPECT_THAT(html, HasSubstr("title=\"limit 10 ms, predicted 100 ms, measured 1 s\""));
  EXPECT_THAT(html, HasSubstr("<span class=\"bad\">oom</span>"));
  EXPECT_THAT(html, Not(HasSubstr("class=\"range\"")));
  EXPECT_THAT(html, Not(HasSubstr("<b>\"")));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;"));
}

// From 0.01x to 100x with 1x in the middle; a kind is in the legend, what agrees is grey.
TEST(HtmlDots, RatiosHaveTheirOneMarkedAndAColourByKind) {
  chart::Dot small{.group = "net", .label = "time"};
  small.predicted = 0.01;
  small.value = "0.01x";
  small.remark = small.kind = "unexplained";
  chart::Dot large = small;
  large.predicted = 100.0;
  large.kind = "set up: start-up time or more steps are included";
  chart::Dot equal = small;
  equal.predicted = 1.0;
  equal.kind = "agrees";
  equal.is_quiet = true;
  const std::string html =
      chart::html_dots(std::vector{small, large, equal}, chart::DotAxis::ratio);
  EXPECT_THAT(html, HasSubstr("<div class=\"dots ratio\">"));
  EXPECT_THAT(html, HasSubstr("<i class=\"grid reference\" style=\"left:50.00%\">"));
  EXPECT_THAT(html, HasSubstr("<span class=\"dot-track hue0\""));
  EXPECT_THAT(html, HasSubstr("<i class=\"disc\" style=\"left:5.36%\">"));
  EXPECT_THAT(html, HasSubstr("<span class=\"dot-track quiet\""));
  EXPECT_THAT(html, HasSubstr("</span>set up: start-up time or more steps are included</li>"));
  EXPECT_THAT(html, HasSubstr("title=\"over our prediction 0.01x\""));
  EXPECT_THAT(html, HasSubstr(">100x</i>"));
  EXPECT_EQ(chart::ratio_text(1958.2), "1,958x");
  EXPECT_EQ(chart::ratio_text(0.16349), "0.163x");
}

// One ratio alone is next to 1x, which is always on the axis.
TEST(HtmlDots, OneIsAlwaysOnAnAxisOfRatios) {
  chart::Dot dot{.group = "net", .label = "time"};
  dot.measured = 100.0;
  EXPECT_THAT(chart::html_dots(std::vector{dot}, chart::DotAxis::ratio),
              HasSubstr("<i class=\"grid reference\" style=\"left:5.36%\">"));
}

TEST(HtmlDots, WithoutTimesThereIsNoPlot) {
  EXPECT_EQ(chart::html_dots({}), "");
  EXPECT_EQ(chart::html_dots(std::vector{chart::Dot{.group = "net", .label = "t4"}}), "");
}

}  // namespace
}  // namespace rooflab::report
