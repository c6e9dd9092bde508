#include "rooflab/report/scale_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/report/device_report.hpp"
#include "rooflab/report/scaled_report.hpp"

namespace rooflab::report {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr double ms = 1e-3;

record::ScaleRun run_of(int ranks, double step_s) {
  record::ScaleRun run;
  run.identity.model = "net<b>";
  run.identity.batch = 64;
  run.identity.phase = Phase::training;
  run.ranks_wanted = ranks;
  for (int i = 0; i < ranks; ++i) {
    record::RankResult rank;
    rank.rank = i;
    rank.device = {.kind = "cuda", .index = i, .name = "Toy"};
    rank.steps_s = {step_s + i * ms};
    run.ranks.push_back(rank);
  }
  return run;
}

analyze::ScalingStudy study() {
  return analyze::scaling_study({run_of(1, 10 * ms), run_of(2, 11.5 * ms)});
}

// The second rank takes 12.5 ms: 128 images in that time, 1.6 times as many.
TEST(ScaleReport, CsvHasTheRows) {
  const std::string csv = render(scale_report(study()), Format::csv);
  EXPECT_THAT(csv,
              HasSubstr("model,precision,scaling,gpus,batch_per_gpu,global_batch,status,step_s,"));
  EXPECT_THAT(csv, HasSubstr("net<b>,fp32,weak,1,64,64,ok,0.01,6400,1,1,"));
  EXPECT_THAT(csv, HasSubstr("net<b>,fp32,weak,2,64,128,ok,0.0125,10240,1.6,0.8,"));
}

TEST(ScaleReport, TextHasRanksAndFindings) {
  const std::string text = render(scale_report(study()), Format::table);
  EXPECT_THAT(text, HasSubstr("1.60x"));
  EXPECT_THAT(text, HasSubstr("1 (slowest)"));
  EXPECT_THAT(text, HasSubstr("2 devices are 1.60 times as fast as one"));
  EXPECT_THAT(text, testing::Not(HasSubstr("predicted")));  // nothing was
}

TEST(ScaleReport, JsonHasNullForWhatIsNotKnown) {
  const Json json = scale_report(study()).json;
  EXPECT_EQ(json["schema_version"], schema_version);
  const Json& row = json["series"][0]["rows"][1];
  EXPECT_NEAR(row["speedup"].get<double>(), 1.6, 1e-12);
  EXPECT_TRUE(row["hidden"].is_null());
  EXPECT_TRUE(row["predicted"].is_null());
  EXPECT_EQ(row["ranks"].size(), 2U);
  EXPECT_TRUE(row["ranks"][1]["slowest"].get<bool>());
}

TEST(ScaleReport, PageHasSpeedupAndIdeal) {
  const Page page = scale_page(study(), "rooflab scale net");
  ASSERT_EQ(page.sections.front().charts.size(), 1U);
  const chart::Chart& chart = page.sections.front().charts.front().chart;
  ASSERT_EQ(chart.series.size(), 1U);
  EXPECT_NEAR(chart.series[0].points[1].y, 1.6, 1e-12);
  ASSERT_EQ(chart.guides.size(), 1U);
  EXPECT_EQ(chart.guides[0].line.back().y, 2.0);
  const std::string html = render_html(page, "");
  EXPECT_THAT(html, HasSubstr("net&lt;b&gt;"));
  EXPECT_THAT(html, HasSubstr("Speed-up"));
}

analyze::ScaledCase scaled_case() {
  analyze::ScaledCase scaled;
  scaled.model = "net";
  scaled.device.id = "toy";
  scaled.device.name = "Toy";
  scaled.link = "10gbe";
  scaled.link_bandwidth = 1.25e9;
  scaled.link_latency_s = 14e-6;
  scaled.one.images_per_s = 6400;
  predict::ScaledStep two;
  two.gpus = 2;
  two.batch_per_gpu = 64;
  two.global_batch = 128;
  two.time = Seconds{12.5 * ms};
  two.low = Seconds{11 * ms};
  two.high = Seconds{14 * ms};
  two.compute = Seconds{10 * ms};
  two.communication = Seconds{5 * ms};
  two.hidden = Seconds{2.5 * ms};
  two.images_per_s = 10240;
  scaled.steps = {two};
  return scaled;
}

TEST(ScaledReport, HasARowForEachNumberOfDevices) {
  const std::vector<analyze::ScaledCase> cases = {scaled_case()};
  const std::string csv = render(scaled_report(cases), Format::csv);
  EXPECT_THAT(csv, HasSubstr("net,toy,fp32,weak,10gbe,2,64,128,0.0125,,0.011,0.014,10240,1.6,0.8,"
                             "0.005,0.5"));
  const std::string text = render(scaled_report(cases), Format::table);
  EXPECT_THAT(text, HasSubstr("11 ms to 14 ms"));
  EXPECT_THAT(text, HasSubstr("1.25 GB/s a direction"));
  const Json json = scaled_report(cases).json;
  EXPECT_EQ(json["scaled_cases"][0]["steps"][0]["hidden_share"], 0.5);
  EXPECT_THAT(render_html(scaled_page(cases, "rooflab predict net"), ""), HasSubstr("1.60x"));
}

TEST(ScaledReport, WithoutAnIntervalThereIsNone) {
  std::vector<analyze::ScaledCase> cases = {scaled_case()};
  cases[0].steps[0].low = cases[0].steps[0].high = cases[0].steps[0].time;
  EXPECT_TRUE(scaled_report(cases).json["scaled_cases"][0]["steps"][0]["step_low_s"].is_null());
}

TEST(LinkListReport, HasEveryLinkWithItsSource) {
  const Document document = link_list_report(device::links());
  EXPECT_EQ(document.tables[0].rows.size(), device::links().size());
  EXPECT_THAT(render(document, Format::csv),
              HasSubstr("nvlink4,NVLink 4 (18 links),450000000000,"));
  for (const Json& link : document.json["links"]) EXPECT_FALSE(link["source"].empty());
}

}  // namespace
}  // namespace rooflab::report
