#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../page/parts.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using record::Sample;
using testing::HasSubstr;

/// Two samples of a GPU, 2 s apart: 50 % and 100 % busy, 200 W and 400 W, 700 J by the counter; a
/// command that used 3 s of processor time meanwhile.
record::Record recording() {
  record::Record record;
  record.identity.model = "train";
  Sample first;
  first.time_s = 0.0;
  first.core_utilization = 0.5;
  first.memory_used_bytes = 10'000'000'000;
  first.power_w = 200.0;
  first.energy_j = 5000.0;
  first.sm_clock_hz = 1.5e9;
  first.throttle_reasons = {"sw_power_cap"};
  Sample last = first;
  last.time_s = 2.0;
  last.core_utilization = 1.0;
  last.memory_used_bytes = 30'000'000'000;
  last.power_w = 400.0;
  last.energy_j = 5700.0;
  last.throttle_reasons = std::vector<std::string>{};
  Sample begin;
  begin.task_clock_s = 1.0;
  begin.resident_bytes = 1'000'000;
  Sample end = begin;
  end.time_s = 2.0;
  end.task_clock_s = 4.0;
  record.samples = {{"cuda:0", "NVIDIA H200", {first, last}}, {"cpu", "train", {begin, end}}};
  return record;
}

TEST(MonitorView, ALinePerDeviceAndOnePerCommand) {
  const page::Document document = monitor_view(recording(), "");
  const std::vector<const page::Table*> tables = document.text_tables();
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_THAT(
      page::texts_of(tables[0]->rows.at(0)),
      testing::ElementsAre("cuda:0", "NVIDIA H200", "2 s", "2", "75.0 %", "-", "20 GB", "30 GB",
                           "300 W", "400 W", "700 J", "1.5 GHz", "-", "sw_power_cap 50 %"));
  EXPECT_THAT(page::texts_of(tables[1]->rows.at(0)),
              testing::ElementsAre("cpu", "train", "2 s", "2", "3 s", "1.5", "1 MB", "1 MB"));
  EXPECT_EQ(document.json["kind"], "record");
}

TEST(MonitorView, SamplesAsTheyAre) {
  const std::string csv = page::render(samples_view(recording()), page::Format::csv);
  EXPECT_THAT(
      csv,
      HasSubstr("device,time_s,core_utilization_share,memory_utilization_share,memory_used_bytes,"
                "power_w,energy_counter_j,sm_clock_hz,memory_clock_hz,temperature_c,"
                "throttle_reasons,task_clock_s,resident_bytes\n"));
  EXPECT_THAT(csv, HasSubstr("\ncuda:0,0,0.5,,10000000000,200,5000,1500000000,,,sw_power_cap,,\n"));
  EXPECT_THAT(csv, HasSubstr("\ncuda:0,2,1,,30000000000,400,5700,1500000000,,,,,\n"));
  EXPECT_THAT(csv, HasSubstr("\ncpu,2,,,,,,,,,,4,1000000\n"));
}

TEST(MonitorView, AChartForEachGroupThatIsThere) {
  const std::vector<chart::Chart> charts = monitor_charts(recording());
  std::vector<std::string> titles;
  titles.reserve(charts.size());
  for (const chart::Chart& chart : charts) titles.push_back(chart.title);
  EXPECT_THAT(titles,
              testing::ElementsAre("Utilisation", "Power", "Device memory", "Clocks",
                                   "Processor time of the command", "Memory of the command"));
  const chart::Chart& power = charts[1];
  ASSERT_EQ(power.series.size(), 1U);
  EXPECT_EQ(power.series[0].name, "cuda:0, mean 300 W");
  EXPECT_TRUE(power.series[0].joined);
  EXPECT_FALSE(power.series[0].marked);
  EXPECT_DOUBLE_EQ(power.series[0].points.at(1).x, 2.0);
  EXPECT_DOUBLE_EQ(power.series[0].points.at(1).y, 400.0);
  EXPECT_EQ(power.captions.at(0), "cuda:0: 700 J in 2 s by its energy counter.");
  EXPECT_DOUBLE_EQ(charts[0].series[0].points.at(0).y, 50.0);
  EXPECT_DOUBLE_EQ(charts[2].series[0].points.at(1).y, 30e9);
  EXPECT_DOUBLE_EQ(charts[4].series[0].points.at(0).x, 1.0);  // middle of the span
  EXPECT_DOUBLE_EQ(charts[4].series[0].points.at(0).y, 1.5);
}

TEST(MonitorView, AGapIsAGap) {
  record::Record record;
  record.samples = {{"cuda:0", "X", {}}};
  for (int i = 0; i < 5; ++i) {
    Sample& sample = record.samples[0].samples.emplace_back();
    sample.time_s = i;
    if (i != 2) sample.power_w = 10.0 * i;
  }
  const std::vector<chart::Chart> charts = monitor_charts(record);
  ASSERT_EQ(charts.size(), 1U);
  ASSERT_EQ(charts[0].series.size(), 2U);
  EXPECT_EQ(charts[0].series[0].points.size(), 2U);
  EXPECT_EQ(charts[0].series[1].points.size(), 2U);
  EXPECT_EQ(charts[0].series[1].name, "");
  EXPECT_EQ(charts[0].series[1].color, charts[0].series[0].color);
}

TEST(MonitorView, LongRecordingsKeepTheirPeaks) {
  record::Record record;
  record.samples = {{"cuda:0", "X", {}}};
  for (int i = 0; i < 100'000; ++i) {
    Sample& sample = record.samples[0].samples.emplace_back();
    sample.time_s = 0.1 * i;
    sample.power_w = i == 56'789 ? 700.0 : i == 12'345 ? 1.0 : 100.0;
  }
  const std::vector<chart::Chart> charts = monitor_charts(record);
  const std::vector<chart::Point>& points = charts.at(0).series.at(0).points;
  EXPECT_LE(points.size(), 1200U);
  EXPECT_EQ(charts[0].x.unit, "min");
  const auto has = [&points](double minutes, double watts) {
    return std::ranges::any_of(points, [&](const chart::Point& point) {
      return std::abs(point.x - minutes) < 1e-9 && point.y == watts;
    });
  };
  EXPECT_TRUE(has(5678.9 / 60.0, 700.0));
  EXPECT_TRUE(has(1234.5 / 60.0, 1.0));
  EXPECT_TRUE(std::ranges::is_sorted(points, {}, &chart::Point::x));
}

TEST(MonitorView, ThePage) {
  const page::Document page = monitor_view(recording(), "rooflab monitor");
  ASSERT_EQ(page.answer.size(), 2U);
  EXPECT_THAT(page.answer[0], HasSubstr("75.0 % in use"));
  EXPECT_THAT(page.answer[1], HasSubstr("1.50 cores busy"));
  const std::string html = page::render_html(page, "/* bundle */");
  EXPECT_THAT(html, HasSubstr("<section id=\"section-summary\">\n<h2>Summary</h2>"));
  EXPECT_THAT(html, HasSubstr("chart-6"));
}

TEST(MonitorView, NothingSampled) {
  EXPECT_TRUE(monitor_view({}, "").text_tables().empty());
  EXPECT_TRUE(monitor_charts({}).empty());
}

}  // namespace
}  // namespace rooflab::report
