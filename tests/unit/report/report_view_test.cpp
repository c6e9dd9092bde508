#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../analyze/networks.hpp"
#include "../analyze/records.hpp"
#include "../page/parts.hpp"
#include "../trace/trace_record.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using analyze::ResultSet;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// A kernel with counters on an H200; its name is markup.
record::Record counted_kernel() {
  record::Record record;
  record.environment.device.name = "NVIDIA H200";
  record.environment.device.compute_capability = "9.0";
  record::KernelTable& kernels = record.kernels.emplace();
  kernels.add({.name = kernels.names.intern("<img src=x onerror=alert(1)>"),
               .process = kernels.processes.intern("a (1)")});
  using enum record::KernelFigure;
  for (const auto& [figure, value] :
       std::vector<std::pair<record::KernelFigure, double>>{{time_s, 1e-3},
                                                            {record::KernelFigure::dram_bytes, 2e6},
                                                            {fadd, 1e6},
                                                            {fmul, 0},
                                                            {ffma, 0},
                                                            {tensor_tf32, 9e6}}) {
    kernels.set(figure, 0, value);
  }
  return record;
}

ResultSet all_kinds() {
  ResultSet results;
  results.predictions = {analyze::case_of("alexnet", "h200-sxm", 8, Phase::inference)};
  results.measured = {
      analyze::measured_case_of(analyze::toy_record({1.0, 1.1, 1.2}), analyze::toy_catalog())};
  results.measured.front().source = "recs/toy.json";
  results.imported.push_back(
      analyze::imported_case_of(counted_kernel(), "dir/run.csv", device::Catalog::built_in()));
  return results;
}

TEST(ReportView, HasARowAndADotForEachResult) {
  const page::Document page = report_view(all_kinds(), "rooflab report x");
  EXPECT_EQ(page.dots.size(), 2U);  // a log of kernels has no step
  const page::Table& results = page::section_of(page, "Results").tables.front();
  ASSERT_EQ(results.rows.size(), 3U);
  EXPECT_EQ(results.rows[0][0].text, "limit");
  EXPECT_EQ(results.rows[1][0].text, "measured");
  EXPECT_EQ(results.rows[1][14].text, "recs/toy.json");
  EXPECT_EQ(results.rows[2][0].text, "counters");
  EXPECT_EQ(results.rows[2][9].raw, "10000000");  // FLOP
  EXPECT_EQ(results.rows[2][11].text, "5");       // FLOP per byte
  EXPECT_EQ(results.columns[4].key, "predicted_s");
  EXPECT_TRUE(results.columns[4].only_in_csv);  // nothing was predicted
}

// The toy took 1.1 s. A prediction of the same case is next to it, those of another batch, of
// other work and of another device do not.
TEST(ReportView, PutsThePredictionBesideWhatWasMeasured) {
  ResultSet results = all_kinds();
  const analyze::MeasuredCase& measured = results.measured.front();
  ASSERT_TRUE(measured.model);
  analyze::CaseResult prediction = *measured.model;
  prediction.model = measured.record.identity.model;
  prediction.prediction_model = analyze::PredictionModel::calibrated;
  prediction.prediction.emplace();
  prediction.calibration.emplace();
  prediction.prediction->time = Seconds{1.0};
  prediction.prediction->low = Seconds{0.9};
  prediction.prediction->high = Seconds{1.2};
  analyze::CaseResult batch = prediction;
  batch.batch += 1;
  analyze::CaseResult work = prediction;
  work.limit.compulsory_bytes = work.limit.compulsory_bytes + Bytes(1);
  analyze::CaseResult device = prediction;
  device.device.id = "other";
  results.predictions = {prediction, batch, work, device};

  const page::Document page = report_view(results, "");
  const page::PageSection& section = page::section_of(page, "Results");
  const page::Table& table = section.tables.front();
  EXPECT_FALSE(table.columns[4].only_in_csv);
  EXPECT_EQ(table.rows[0][0].text, "predicted");
  EXPECT_EQ(table.rows[0][3].text, "-");
  EXPECT_EQ(table.rows[0][4].text, "1 s");
  ASSERT_EQ(table.rows[4][0].text, "measured");
  EXPECT_EQ(table.rows[4][3].text, "1.1 s");
  EXPECT_EQ(table.rows[4][4].text, "1 s");
  EXPECT_EQ(table.rows[4][5].text, "900 ms");
  EXPECT_EQ(table.rows[4][6].text, "1.2 s");
  EXPECT_THAT(section.notes, Contains("1 of 1 measured time is within its predicted interval."));

  results.predictions.front().prediction->high = Seconds{1.05};
  EXPECT_THAT(page::section_of(report_view(results, ""), "Results").notes,
              Contains("0 of 1 measured time is within its predicted interval."));
  results.predictions.push_back(prediction);  // two that fit: none is chosen
  EXPECT_EQ(page::section_of(report_view(results, ""), "Results").tables.front().rows[5][4].text,
            "-");
}

// What was expected of a measured case when it was read, unless a result says otherwise.
TEST(ReportView, ShowsTheCasesOwnPrediction) {
  ResultSet results = all_kinds();
  analyze::CaseResult& own = *results.measured.front().model;
  own.prediction_model = analyze::PredictionModel::calibrated;
  own.prediction.emplace();
  own.calibration.emplace();
  own.prediction->time = Seconds{1.0};
  own.prediction->low = Seconds{0.9};
  own.prediction->high = Seconds{1.2};
  const auto predicted_time = [&results] {
    return page::section_of(report_view(results, ""), "Results").tables.front().rows.back()[4].text;
  };
  results.imported.clear();
  results.predictions.clear();
  EXPECT_EQ(predicted_time(), "1 s");
  analyze::CaseResult other = own;
  other.model = results.measured.front().record.identity.model;
  other.prediction->time = Seconds{1.1};
  results.predictions = {other};
  EXPECT_EQ(predicted_time(), "1.1 s");
}

// The limit's layers and the counted kernel lie below one device's roofs, the toy's below its own.
TEST(ReportView, DrawsARooflineForEachDeviceWithShapesByKind) {
  const page::Document page = report_view(all_kinds(), "");
  const std::vector<page::PageChart>& charts = page::section_of(page, "Rooflines").charts;
  ASSERT_EQ(charts.size(), 2U);
  const std::vector<chart::Series>& series = charts[0].chart.series;
  EXPECT_EQ(series.at(0).name, "alexnet, limit");
  EXPECT_EQ(series.at(1).name, "run.csv, counted");
  EXPECT_NE(series[0].marker, series[1].marker);
  EXPECT_NE(series[0].color, series[1].color);
  EXPECT_TRUE(page::section_of(page, "Rooflines").side_by_side);
  EXPECT_EQ(charts[0].chart.x.range->low, charts[1].chart.x.range->low);
}

TEST(ReportView, HasTheCommandBehindEveryNumber) {
  const page::Document page = report_view(all_kinds(), "");
  const page::Table& commands = page::section_of(page, "Command lines").tables.front();
  EXPECT_EQ(commands.rows.back()[1].text, "rooflab import dir/run.csv");
}

TEST(ReportView, EscapesNamesFromFiles) {
  const std::string html = page::render_html(report_view(all_kinds(), ""), "");
  EXPECT_EQ(html.find("<img src=x"), std::string::npos);
  EXPECT_THAT(html, HasSubstr("&lt;img src=x onerror=alert(1)&gt;"));
  EXPECT_THAT(html, HasSubstr("Content-Security-Policy"));
}

TEST(ReportView, OfNothingIsAnEmptyPage) {
  const page::Document page = report_view(ResultSet(), "c");
  EXPECT_TRUE(page.answer.empty());
  EXPECT_EQ(page.text_tables().size(), 0U);
}

TEST(ReportView, AsMarkdownItHasTheSameTables) {
  const page::Document document = report_view(all_kinds(), "rooflab report x", 1);
  const std::string text = page::render(document, page::Format::markdown);
  EXPECT_THAT(text, HasSubstr("### Results (the first 1 of 3)\n"));
  EXPECT_THAT(text, HasSubstr("### Memory"));
  EXPECT_THAT(text, HasSubstr("\nmade by:\n\n    rooflab report x\n"));
  EXPECT_EQ(text.find("| <img"), std::string::npos);
  const Json& results = document.json["tables"][0];
  EXPECT_EQ(results["columns"][9], "flop");
  ASSERT_EQ(results["rows"].size(), 3U);
  EXPECT_EQ(results["rows"][2][9], 10'000'000);
  EXPECT_TRUE(results["rows"][2][8].is_null());
  EXPECT_EQ(results["rows"][2][0], "counters");
}

// Kernel names run to thousands of letters; sentences and names of cases are read to their end.
TEST(ReportView, AsMarkdownOnlyNamesOfKernelsAreCut) {
  const std::string name(100, 'x');
  const std::string sentence(100, 'y');
  page::Table kernels{.columns = {{"kernel", "kernel", page::Align::left}}, .rows = {{name}}};
  kernels.columns.front().cut = true;
  const page::Table evidence{.columns = {{"evidence", "evidence", page::Align::left}},
                             .rows = {{sentence}}};
  page::Document document;
  document.sections = {{.heading = "Kernels", .tables = {kernels, evidence}}};
  page::show_all_tables(document, "report");
  const std::string text = page::render(document, page::Format::markdown);
  EXPECT_THAT(text, HasSubstr("| " + std::string(28, 'x') + "…" + std::string(27, 'x') + " |"));
  EXPECT_THAT(text, HasSubstr("| " + sentence + " |"));
  EXPECT_THAT(page::render_html(document, ""), HasSubstr(name));
}

// The same case twice, once with counters: the tables tell the two runs, and the devices, apart.
TEST(ReportView, ARunWithCountersIsCalledSo) {
  ResultSet results;
  record::Record record = analyze::toy_record({3.0});
  record.memory.emplace().allocated_peak = Bytes(100);
  results.measured = {analyze::measured_case_of(record, analyze::toy_catalog()),
                      analyze::measured_case_of(record, analyze::toy_catalog())};
  results.measured[1].counted.emplace();
  const page::Document page = report_view(results, "");
  const page::Table& rows = page::section_of(page, "Results").tables.front();
  EXPECT_EQ(rows.rows[0][0].text, "measured");
  EXPECT_EQ(rows.rows[1][0].text, "measured, with counters");
  const page::Table& memory = page::section_of(page, "Memory").tables.front();
  EXPECT_EQ(memory.columns[1].key, "device");
  std::vector<std::string> kinds;
  for (const std::vector<page::Cell>& row : memory.rows) {
    EXPECT_EQ(row[1].text, "Toy");
    kinds.push_back(row[2].text);
  }
  // What is predicted of both is one row.
  EXPECT_THAT(kinds, ElementsAre("predicted", "measured", "measured, with counters"));
}

TEST(ReportView, ATraceShowsItsPanes) {
  ResultSet results;
  trace::TraceRecord trace;
  trace.annotation("ProfilerStep#1", 0, 1000)
      .op("aten::mm", 10, 100, 1)
      .call(20, 10, 5, 1)
      .kernel("gemm", 200, 300, 5);
  results.imported.push_back(
      analyze::imported_case_of(trace.record(), "t.json", device::Catalog::built_in()));
  const page::Document page = report_view(results, "");
  EXPECT_THAT(page::headings_of(page), Contains("t.json"));
  EXPECT_EQ(page::section_of(page, "Steps of traces").bars.size(), 1U);
  std::vector<std::string> titles;
  for (const page::Table& table : page::section_of(page, "t.json").tables)
    titles.push_back(table.title);
  EXPECT_THAT(titles, ElementsAre("Step of t.json: mean of 1 step", "Devices of t.json, a step",
                                  "Operators of t.json, a step", "Kernels of t.json, a step"));
}

// Two steps with two kernels of 300 ns and one of 100 ns together: the bar and the tables are of
// the mean step, 350 ns of kernels.
TEST(ReportView, TablesOfATraceAreOfTheMeanStep) {
  trace::TraceRecord trace;
  for (const std::int64_t at : {0, 1000}) {
    trace.annotation(at == 0 ? "ProfilerStep#1" : "ProfilerStep#2", at, 900)
        .op("aten::mm", at + 10, 100, at + 1)
        .call(at + 20, 10, at + 5, at + 1)
        .kernel("gemm", at + 200, 300, at + 5);
  }
  trace.call(1040, 5, 7, 1001).kernel("fill", 1500, 100, 7);
  ResultSet results;
  results.imported.push_back(
      analyze::imported_case_of(trace.record(), "t.json", device::Catalog::built_in()));
  const page::Document page = report_view(results, "");
  const page::PageSection& section = page::section_of(page, "t.json");
  ASSERT_EQ(section.bars.size(), 1U);
  EXPECT_EQ(section.bars[0].label, "kernels, a step");
  EXPECT_EQ(section.bars[0].text, "350 ns");
  const page::Table& kernels = section.tables.back();
  EXPECT_EQ(kernels.title, "Kernels of t.json, a step");
  EXPECT_EQ(kernels.rows[0][1].text, "1");
  EXPECT_EQ(kernels.rows[0][2].text, "300 ns");
  EXPECT_EQ(kernels.rows[1][1].text, "0.5");
  EXPECT_EQ(kernels.rows[1][2].text, "50 ns");
  EXPECT_EQ(kernels.totals[0][0].text, "all kernels");
  EXPECT_EQ(kernels.totals[0][2].text, "350 ns");
}

// 100 bytes from 0 s, 300 from 2 s on: between them the curve is flat.
TEST(ReportView, MemoryHoldsUntilItsNextChange) {
  trace::TraceRecord trace;
  trace.trace().allocations = {{0, 0, 100, 100, -1}, {2'000'000'000, 0, 200, 300, -1}};
  ResultSet results;
  results.imported.push_back(
      analyze::imported_case_of(trace.record(), "t.json", device::Catalog::built_in()));
  const page::Document page = report_view(results, "");
  const chart::Chart& chart = page::section_of(page, "Memory").charts.at(0).chart;
  ASSERT_EQ(chart.series.size(), 1U);  // nothing reserved was recorded
  std::vector<std::pair<double, double>> points;
  for (const chart::Point& point : chart.series[0].points) points.emplace_back(point.x, point.y);
  EXPECT_THAT(points,
              ElementsAre(std::pair(0.0, 100.0), std::pair(2.0, 100.0), std::pair(2.0, 300.0)));
}

}  // namespace
}  // namespace rooflab::report
