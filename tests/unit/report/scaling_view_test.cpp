#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/findings/findings.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

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

analyze::Scaling measured_scaling() {
  return analyze::scaling_of(std::vector{run_of(1, 10 * ms), run_of(2, 11.5 * ms)});
}

page::Document view_of(const analyze::Scaling& scaling) {
  return scaling_view(scaling, "scale", "rooflab scale net", findings::findings_of(scaling));
}

// The second rank takes 12.5 ms: 128 images in that time, 1.6 times as many.
TEST(ScalingView, CsvHasTheRows) {
  const std::string csv = page::render(view_of(measured_scaling()), page::Format::csv);
  EXPECT_THAT(csv, HasSubstr("model,device,precision,scaling,link,device_count,batch_per_device,"
                             "global_batch,status,median_s,predicted_s,predicted_low_s,"
                             "predicted_high_s,measured_over_predicted,samples_per_s,speedup,"
                             "predicted_speedup,efficiency_share,"));
  EXPECT_THAT(csv, HasSubstr("net<b>,Toy,fp32,weak,,1,64,64,ok,0.01,,,,,6400,1,,1,"));
  EXPECT_THAT(csv, HasSubstr("net<b>,Toy,fp32,weak,,2,64,128,ok,0.0125,,,,,10240,1.6,,0.8,"));
}

TEST(ScalingView, TextHasRanksAndFindings) {
  const std::string text = page::render(view_of(measured_scaling()), page::Format::table);
  EXPECT_THAT(text, HasSubstr("net<b>, Toy, fp32, weak scaling"));
  EXPECT_THAT(text, HasSubstr("1.60x"));
  EXPECT_THAT(text, HasSubstr("1 (slowest)"));
  EXPECT_THAT(text, HasSubstr("2 devices are 1.60 times as fast as one"));
  EXPECT_THAT(text, testing::Not(HasSubstr("predicted")));  // nothing was
}

TEST(ScalingView, JsonHasNullForWhatIsNotKnown) {
  const Json json = view_of(measured_scaling()).json;
  EXPECT_EQ(json["schema_version"], schema_version);
  EXPECT_EQ(json["command"], "scale");
  EXPECT_TRUE(json["series"][0]["basis"].is_null());
  const Json& row = json["series"][0]["rows"][1];
  EXPECT_EQ(row["device_count"], 2);
  EXPECT_EQ(row["status"], "ok");
  EXPECT_NEAR(row["run"]["speedup"].get<double>(), 1.6, 1e-12);
  EXPECT_TRUE(row["run"]["hidden_share"].is_null());
  EXPECT_TRUE(row["prediction"].is_null());
  EXPECT_EQ(row["ranks"].size(), 2U);
  EXPECT_TRUE(row["ranks"][1]["slowest"].get<bool>());
}

TEST(ScalingView, PageHasSpeedupAndIdeal) {
  const page::Document page = view_of(measured_scaling());
  ASSERT_EQ(page.sections.front().charts.size(), 1U);
  const chart::Chart& chart = page.sections.front().charts.front().chart;
  ASSERT_EQ(chart.series.size(), 1U);
  EXPECT_NEAR(chart.series[0].points[1].y, 1.6, 1e-12);
  ASSERT_EQ(chart.guides.size(), 1U);
  EXPECT_EQ(chart.guides[0].line.back().y, 2.0);
  const std::string html = page::render_html(page, "");
  EXPECT_THAT(html, HasSubstr("net&lt;b&gt;"));
  EXPECT_THAT(html, HasSubstr("Speed-up"));
}

predict::DataParallelStep step_on_two() {
  predict::DataParallelStep two;
  two.devices = 2;
  two.batch_per_device = 64;
  two.global_batch = 128;
  two.time = Seconds{12.5 * ms};
  two.low = Seconds{11 * ms};
  two.high = Seconds{14 * ms};
  two.compute = Seconds{10 * ms};
  two.communication = Seconds{3.125 * ms};
  two.hidden = Seconds{1.5625 * ms};
  two.samples_per_s = 10240;
  two.bucket_bytes = {2e6};
  return two;
}

analyze::ScalingBasis toy_basis() {
  analyze::ScalingBasis basis;
  basis.link = "10gbe";
  basis.link_bytes_per_s = 1.25e9;
  basis.link_latency_s = 14e-6;
  return basis;
}

analyze::Scaling predicted_scaling(const predict::DataParallelStep& two = step_on_two()) {
  predict::DataParallelStep one;
  one.samples_per_s = 6400;
  analyze::ScalingSeries series;
  series.model = "net";
  series.device = "toy";
  series.basis = toy_basis();
  series.rows = analyze::predicted_rows(one, std::vector{two});
  return {{series}, {}};
}

TEST(PredictedScalingView, HasARowForEachNumberOfDevices) {
  const page::Document document = view_of(predicted_scaling());
  EXPECT_THAT(page::render(document, page::Format::csv),
              HasSubstr("net,toy,fp32,weak,10gbe,2,64,128,,,0.0125,0.011,0.014,,10240,1.6,,0.8,"
                        "0.003125,0.25,0.5,,\n"));
  const std::string text = page::render(document, page::Format::table);
  EXPECT_THAT(text, HasSubstr("net, toy, fp32, weak scaling, link 10gbe"));
  EXPECT_THAT(text, HasSubstr("11 ms to 14 ms"));
  EXPECT_THAT(text, HasSubstr("1.25 GB/s per direction, 14 us per message"));
  EXPECT_THAT(text, testing::Not(HasSubstr("imbalance")));  // nothing was measured
  const Json& series = document.json["series"][0];
  EXPECT_EQ(series["basis"]["all_reduce"], "automatic");
  const Json& row = series["rows"][0];
  EXPECT_TRUE(row["status"].is_null());
  EXPECT_TRUE(row["run"].is_null());
  EXPECT_EQ(row["prediction"]["hidden_share"], 0.5);
  EXPECT_EQ(row["prediction"]["bucket_bytes"].dump(), "[2000000]");
  EXPECT_THAT(page::render_html(document, ""), HasSubstr("1.60x"));
}

TEST(PredictedScalingView, WithoutAnIntervalThereIsNone) {
  predict::DataParallelStep two = step_on_two();
  two.low = two.high = two.time;
  const page::Document document = view_of(predicted_scaling(two));
  EXPECT_TRUE(document.json["series"][0]["rows"][0]["prediction"]["predicted_low_s"].is_null());
  EXPECT_THAT(page::render(document, page::Format::table), testing::Not(HasSubstr("90 % within")));
}

// Measured 12.5 ms on two devices, predicted 10: both stand in the row, the line and the bars.
TEST(ScalingView, MeasuredAndPredictedStandBesideEachOther) {
  predict::DataParallelStep two = step_on_two();
  two.time = Seconds{10 * ms};
  const analyze::Scaling scaling = analyze::scaling_of(std::vector{run_of(2, 11.5 * ms)},
                                                       {analyze::RunPrediction{two, toy_basis()}});
  const page::Document document = view_of(scaling);
  EXPECT_THAT(page::render(document, page::Format::csv),
              HasSubstr("net<b>,Toy,fp32,weak,10gbe,2,64,128,ok,0.0125,0.01,0.011,0.014,1.25,"));
  const Json& row = document.json["series"][0]["rows"][0];
  EXPECT_NEAR(row["run"]["median_s"].get<double>(), 12.5 * ms, 1e-12);
  EXPECT_NEAR(row["prediction"]["predicted_s"].get<double>(), 10 * ms, 1e-12);
  EXPECT_NEAR(row["measured_over_predicted"].get<double>(), 1.25, 1e-12);
  ASSERT_EQ(document.sections.back().bars.size(), 2U);
  EXPECT_EQ(document.sections.back().bars[1].label,
            "net<b> on Toy, fp32, weak, 2 devices, predicted");
}

TEST(LinkListReport, HasEveryLinkWithItsSource) {
  const page::Document document = link_list_report(device::links());
  EXPECT_EQ(document.tables[0].rows.size(), device::links().size());
  EXPECT_THAT(page::render(document, page::Format::csv),
              HasSubstr("nvlink4,NVLink 4 (18 links),450000000000,"));
  for (const Json& link : document.json["links"]) EXPECT_FALSE(link["source"].empty());
}

}  // namespace
}  // namespace rooflab::report
