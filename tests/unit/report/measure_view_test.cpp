#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../analyze/records.hpp"
#include "../analyze/toy_calibration.hpp"
#include "../page/parts.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using analyze::MeasuredCase;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Median 6 s against the toy device's 2.56 s.
MeasuredCase measured_relus() {
  record::Record record = analyze::toy_record({5.9, 6.0, 6.0, 6.0, 6.0, 6.1});
  record.layers = analyze::toy_layers();
  record.memory = record::MemoryUse{};
  record.memory->allocated_peak = Bytes(1000);
  record.memory->saved = Bytes(64);
  record.energy_j = 12.0;
  record.timing->issue_s = 0.5;
  return analyze::measured_case_of(std::move(record), analyze::toy_catalog());
}

MeasuredCase out_of_memory() {
  record::Record record = analyze::toy_record();
  record.identity.model = "large";
  record.status = record::Status::oom;
  record.message = "1 GB held, 2 GB asked";
  return analyze::measured_case_of(std::move(record), analyze::toy_catalog());
}

/// Median 20 us on an H200, as the toy calibration expects.
MeasuredCase expected_relus() {
  record::Record record = analyze::toy_record({2e-5, 2e-5, 2e-5, 2e-5, 2e-5, 2e-5});
  record.environment.device.name = "NVIDIA H200";
  return analyze::measured_case_of(std::move(record), device::Catalog::built_in(), std::nullopt,
                                   [](const device::Device&) {
                                     return std::make_shared<const analyze::CalibratedModel>(
                                         analyze::toy_model("h200-sxm", false));
                                   });
}

TEST(MeasureView, JsonHasTheKeysOfTheManual) {
  const std::vector<MeasuredCase> cases = {measured_relus(), out_of_memory()};
  const Json json = measure_view(cases, "").json;
  EXPECT_THAT(page::keys_of(json),
              ElementsAre("schema_version", "command", "environment", "cases", "findings"));
  const Json& first = json["cases"][0];
  EXPECT_THAT(
      page::keys_of(first["timing"]),
      ElementsAre("steps_s", "setup_s", "first_call_s", "warmup_steps", "stable", "clock", "data_s",
                  "copy_s", "issue_s", "device_s", "median_s", "min_s", "p95_s", "variation",
                  "median_low_s", "median_high_s", "median_spread_share", "timed_steps",
                  "median_data_s", "median_copy_s", "with_data_s", "host_bound"));
  EXPECT_EQ(first["timing"]["median_s"], 6.0);
  EXPECT_EQ(first["timing"]["median_low_s"], 5.9);
  EXPECT_NEAR(first["timing"]["median_spread_share"].get<double>(), 0.1 / 6.0, 1e-12);
  EXPECT_EQ(first["timing"]["timed_steps"], 6);
  EXPECT_EQ(first["timing"]["issue_s"], 0.5);
  EXPECT_TRUE(first["timing"]["device_s"].is_null());
  EXPECT_EQ(first["memory"]["allocated_peak_bytes"], 1000);
  EXPECT_EQ(first["memory"]["saved_activation_bytes"], 64);
  EXPECT_TRUE(first["memory"]["reserved_peak_bytes"].is_null());
  EXPECT_EQ(first["step_energy_j"], 12.0);
  EXPECT_EQ(first["limit"]["device"], "toy");
  EXPECT_NEAR(first["limit"]["limit_s"].get<double>(), 2.56, 1e-12);
  EXPECT_EQ(first["layers"].size(), 2U);
  EXPECT_EQ(first["layers"][0]["op_class"], "activation");
  EXPECT_EQ(first["layers"][0]["compulsory_bytes"], 128);
  EXPECT_EQ(first["layer_sum"]["synchronization_s"], 3.5);
  EXPECT_EQ(first["environment"]["device_properties"]["name"], "Toy");
  EXPECT_EQ(first["command_line"], "rooflab measure relus --device cuda:0");
}

TEST(MeasureView, WhatWasNotMeasuredIsNull) {
  const std::vector<MeasuredCase> cases = {out_of_memory()};
  const Json json = measure_view(cases, "").json["cases"][0];
  EXPECT_EQ(json["status"], "oom");
  EXPECT_EQ(json["message"], "1 GB held, 2 GB asked");
  for (const char* key : {"timing", "memory", "step_energy_j", "layers", "layer_sum", "op_classes",
                          "samples_per_s", "flop_per_s"}) {
    EXPECT_TRUE(json[key].is_null()) << key;
  }
  EXPECT_TRUE(json["limit"]["limit_ratio"].is_null());
}

TEST(MeasureView, TableAndNotes) {
  const std::vector<MeasuredCase> cases = {measured_relus(), out_of_memory()};
  const page::Document document = measure_view(cases, "");
  const std::string text = page::render(document, page::Format::table);
  EXPECT_THAT(text, HasSubstr("batch 2, inference, fp32\n"));
  EXPECT_THAT(text, HasSubstr("6 s   1.7 %  2.56 s  2.34x"));
  EXPECT_THAT(document.text_notes(),
              Contains("large on cuda:0, batch 2, inference, fp32: oom: 1 GB held,"
                       " 2 GB asked"));
  EXPECT_THAT(document.text_tables()[1]->title, HasSubstr("relus on cuda:0"));
  const auto rows = page::read_csv(page::render(document, page::Format::csv));
  ASSERT_EQ(rows.size(), 3U);
  const auto column = [&rows](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(rows[0], name) - rows[0].begin());
  };
  EXPECT_EQ(rows[1][column("median_s")], "6");
  EXPECT_EQ(rows[1][column("allocated_peak_bytes")], "1000");
  EXPECT_EQ(rows[2][column("median_s")], "");
  EXPECT_EQ(rows[2][column("status")], "oom");
}

TEST(MeasureView, ThePredictedTimeStandsBesideTheMeasuredOne) {
  std::vector<MeasuredCase> cases = {expected_relus()};
  page::Document document = measure_view(cases, "");
  EXPECT_THAT(page::render(document, page::Format::table), HasSubstr("20 us   0.0 %      20 us"));
  EXPECT_THAT(document.text_notes(),
              Contains("predicted: the expected time, from ops measured on toy. 1 of"
                       " 1 measured time is within its predicted interval."));
  const Json& prediction = document.json["cases"][0]["prediction"];
  EXPECT_THAT(page::keys_of(prediction),
              testing::UnorderedElementsAre("predicted_s", "predicted_low_s", "predicted_high_s",
                                            "predicted_device_s", "predicted_host_s", "host_bound",
                                            "kinds", "issued_by", "calibration", "notes"));
  EXPECT_NEAR(prediction["predicted_s"].get<double>(), 2e-5, 1e-6);
  EXPECT_LT(prediction["predicted_low_s"].get<double>(), prediction["predicted_s"].get<double>());
  EXPECT_TRUE(prediction["issued_by"].is_null());
  EXPECT_TRUE(prediction["predicted_host_s"].is_null());
  EXPECT_EQ(prediction["calibration"]["id"], "toy");

  // Slow for its host: the interval is missed, and the note says who may be to blame.
  MeasuredCase waiting = expected_relus();
  waiting.steps = statistics_of(std::vector<double>{1.0});
  waiting.host_bound = true;
  cases.push_back(waiting);
  cases.push_back(measured_relus());  // of which nothing is expected
  document = measure_view(cases, "");
  EXPECT_THAT(document.text_notes(),
              Contains("predicted: the expected time, from ops measured on toy. 1 of 2 measured"
                       " times are within their predicted intervals; of the others 1"
                       " waits for the host, which may be slower or faster than the one that was"
                       " probed."));
  EXPECT_TRUE(document.json["cases"][2]["prediction"].is_null());
}

TEST(MeasureView, ACaseAloneExplainsItsLayers) {
  const std::vector<MeasuredCase> cases = {measured_relus()};
  const page::Document document = measure_view(cases, "");
  EXPECT_THAT(document.text_notes(), Contains(HasSubstr("3.5 s are synchronisation")));
  EXPECT_EQ(document.text_tables()[1]->title, "Where the time went, by op class");
  const std::vector<page::Cell>& row = document.text_tables()[1]->rows.at(0);
  EXPECT_EQ(row[0].text, "activation");
  EXPECT_EQ(row[2].text, "5 s");
  EXPECT_EQ(row[4].text, "2.56 s");
}

TEST(MeasureView, LayersAreInTextWhereAskedFor) {
  const std::vector<MeasuredCase> cases = {measured_relus()};
  EXPECT_EQ(measure_view(cases, "").text_tables().size(), 2U);
  const page::Document document = measure_view(cases, "", true);
  ASSERT_EQ(document.text_tables().size(), 3U);
  EXPECT_EQ(document.text_tables()[2]->rows.size(), 2U);
}

TEST(MeasureView, LayerTable) {
  const page::Table table = measured_layer_table(measured_relus());
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][2].text, "3 s");
  EXPECT_EQ(table.rows[0][4].text, "60.0 %");
  EXPECT_EQ(table.rows[0][5].text, "1.28 s");
  EXPECT_EQ(table.rows[0][6].text, "2.34x");
  EXPECT_TRUE(table.columns[3].only_in_csv);  // nothing went backward
  EXPECT_EQ(table.totals[0][2].text, "5 s");
  EXPECT_EQ(table.totals[1][2].text, "6 s");
}

TEST(MeasureView, Page) {
  const std::vector<MeasuredCase> cases = {measured_relus(), out_of_memory()};
  const page::Document page = measure_view(cases, "rooflab measure relus large");
  ASSERT_EQ(page.dots.size(), 2U);
  EXPECT_EQ(page.dots[0].value, "6 s");
  EXPECT_EQ(page.dots[0].measured, 6.0);
  ASSERT_TRUE(page.dots[0].limit);
  EXPECT_NEAR(*page.dots[0].limit, 2.56, 1e-12);
  EXPECT_EQ(page.dots[1].value, "-");
  EXPECT_EQ(page.dots[1].verdict, "oom");
  ASSERT_EQ(page::headings_of(page),
            (std::vector<std::string>{"Comparison", "Rooflines", "Where the time went",
                                      "Counted by the hardware", "Steps", "While it ran",
                                      "Layers and environment"}));
  EXPECT_THAT(page.sections[2].tables.at(0).title, HasSubstr("Where the time went, by op class"));
  const std::vector<page::PageDetail>& details = page.sections[6].details;
  ASSERT_EQ(details.size(), 3U);
  EXPECT_THAT(details[0].heading, HasSubstr("relus on cuda:0, batch 2, inference, fp32: layers"));
  EXPECT_THAT(details[2].heading, HasSubstr("large on cuda:0"));
  const chart::Chart& roofline = page.sections[1].charts.at(0).chart;
  EXPECT_THAT(roofline.captions, Contains(HasSubstr("FLOPs and compulsory bytes are modelled")));
  EXPECT_EQ(std::ranges::count(roofline.series, false, &chart::Series::keyed), 2);
  // 5 s, all of it ReLUs.
  ASSERT_EQ(page.sections[2].bars.size(), 1U);
  EXPECT_EQ(page.sections[2].bars[0].parts.at(0).name, "element-wise");
  EXPECT_EQ(page.sections[2].bars[0].parts[0].value, 5.0);
  ASSERT_EQ(page.sections[4].spreads.size(), 1U);
  EXPECT_EQ(page.sections[4].spreads[0].values.size(), 6U);
  EXPECT_EQ(page.sections[4].spreads[0].median, 6.0);
  EXPECT_THAT(page::render_html(page, "/* no Plotly */"),
              AllOf(HasSubstr("rooflab measure relus large"), Not(HasSubstr("http://"))));
}

TEST(MeasureView, PageShowsWhatTheMonitorSaw) {
  record::Record record = analyze::toy_record({6.0, 6.0, 6.0, 6.0, 6.0, 6.0});
  record.samples = {{"cuda:0", "Toy", {{}, {}}}};
  record.samples[0].samples[0].power_w = 100.0;
  record.samples[0].samples[1].time_s = 1.0;
  record.samples[0].samples[1].power_w = 200.0;
  const std::vector<MeasuredCase> cases = {
      analyze::measured_case_of(record, analyze::toy_catalog())};
  const page::Document page = measure_view(cases, "");
  const auto section =
      std::ranges::find(page.sections, "While it ran", &page::PageSection::heading);
  ASSERT_NE(section, page.sections.end());
  const page::PageDetail& detail = section->details.at(0);
  EXPECT_EQ(detail.heading, "relus on cuda:0, batch 2, inference, fp32");
  EXPECT_EQ(detail.charts.at(0).chart.series.at(0).points.back().y, 200.0);
  EXPECT_EQ(detail.sparks.at(0).label, "power: mean 150 W");
  EXPECT_EQ(detail.sparks.at(0).values, (std::vector{100.0, 200.0}));
  EXPECT_THAT(page::render_html(page, "/* no Plotly */"), HasSubstr("class=\"spark\""));
}

TEST(MeasureView, TitlesSayWhatTellsCasesApart) {
  record::CaseIdentity identity;
  identity.model = "googlenet";
  identity.device = "cpu";
  identity.variant = "aux";
  identity.channels_last = true;
  EXPECT_EQ(title_of(identity), "googlenet on cpu, batch 1, inference, fp32, aux, channels last");
}

}  // namespace
}  // namespace rooflab::report
