#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../analyze/counted_records.hpp"
#include "../base/note_matchers.hpp"
#include "../page/parts.hpp"
#include "analyze/counting_notes.hpp"
#include "notes/analyze_notes.hpp"
#include "../page/parts.hpp"
#include "report/counted_section.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using analyze::MeasuredCase;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

MeasuredCase counted_case() {
  return analyze::measured_case_of(analyze::counted_example(),
                                   device::Catalog({analyze::counted_device()}));
}

/// The cell of a column by its key.
const page::Cell& cell(const page::Table& table, std::size_t row, std::string_view key) {
  const auto column = std::ranges::find(table.columns, key, &page::Column::key);
  return table.rows.at(row).at(static_cast<std::size_t>(column - table.columns.begin()));
}

TEST(CountedReport, LayerTableHasMeasuredBesideModel) {
  const page::Table table = counted_layer_table(counted_case());
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(cell(table, 0, "node").text, "conv");
  EXPECT_EQ(cell(table, 0, "launches").text, "2");
  EXPECT_EQ(cell(table, 0, "time_s").text, "100 us");
  EXPECT_EQ(cell(table, 0, "fp32_flop").text, "602.1 k");
  EXPECT_EQ(cell(table, 0, "tensor_flop").text, "245.4 M");
  EXPECT_EQ(cell(table, 0, "flop").raw, "245968896");
  EXPECT_EQ(cell(table, 0, "model_flop").text, "231.2 M");
  EXPECT_EQ(cell(table, 0, "flop_ratio").text, "1.06x");
  EXPECT_EQ(cell(table, 0, "dram_bytes").text, "5.4 MB");
  EXPECT_EQ(cell(table, 0, "compulsory_bytes").raw, "1392640");
  EXPECT_EQ(cell(table, 0, "bytes_ratio").text, "3.88x");
  EXPECT_EQ(cell(table, 0, "flop_per_s").text, "2.46 TFLOP/s");
  EXPECT_EQ(cell(table, 0, "causes").text, "FLOP: padding; bytes: layout conversion");
  EXPECT_THAT(cell(table, 0, "reasons").raw, HasSubstr("round pixels 784 to 832"));
  EXPECT_EQ(cell(table, 2, "node").text, "(no node)");
  EXPECT_EQ(cell(table, 2, "model_flop").raw, "");
  ASSERT_EQ(table.totals.size(), 2U);
  EXPECT_EQ(table.totals[0][0].text, "sum of kernels");
  EXPECT_EQ(table.totals[0][2].text, "4");
  EXPECT_EQ(table.totals[1][0].text, "whole step");
  EXPECT_EQ(table.totals[1][6].raw, "");  // no FP32 of a whole step
}

TEST(CountedReport, TableMarkdownAndCsv) {
  page::Document document;
  document.tables.push_back(counted_layer_table(counted_case()));
  const auto rows = page::read_csv(page::render(document, page::Format::csv));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_THAT(rows[0], Contains("l2_bytes"));
  EXPECT_THAT(rows[1], Contains("5400000"));
  EXPECT_THAT(page::render(document, page::Format::markdown), HasSubstr("| conv"));
  EXPECT_THAT(page::render(document, page::Format::table), HasSubstr("whole step"));
}

TEST(CountedReport, TheLargestGapsWithTheirReasons) {
  const std::vector<page::Table> tables = counted_gap_tables(counted_case(), 1);
  ASSERT_EQ(tables.size(), 2U);
  ASSERT_EQ(tables[0].rows.size(), 1U);
  EXPECT_THAT(tables[0].title, HasSubstr("Largest gaps in FLOPs"));
  EXPECT_EQ(cell(tables[0], 0, "node").text, "conv");
  EXPECT_EQ(cell(tables[0], 0, "cause").text, "padding");
  ASSERT_EQ(tables[1].rows.size(), 1U);
  EXPECT_THAT(tables[1].title, HasSubstr("Largest gaps in DRAM bytes"));
  EXPECT_THAT(cell(tables[1], 0, "text").text, HasSubstr("move 4 MB of the 4.007 MB too much"));
  const std::vector<page::Table> all = counted_gap_tables(counted_case(), 9);
  EXPECT_EQ(all[0].rows.size() + all[1].rows.size(), 4U);
}

TEST(CountedReport, NotesSayHowItWasCounted) {
  const std::vector<MeasuredCase> cases = {counted_case()};
  const page::Remarks notes = measure_view(cases, "").text_notes();
  EXPECT_THAT(notes,
              Contains("counters were read on GH100 in 500 ms, after 750 ms to program them:"
                       " 5 metrics in 7 passes, one per step, 4 over a whole step, 3 kernel by"
                       " kernel; times are of steps without counters"));
  EXPECT_THAT(notes, Contains(HasSubstr(
                         "246 MFLOP were counted: 603.1 kFLOP FP32, 245.4 MFLOP on tensor cores"
                         " (tf32 245.4 MFLOP); the model has 231.")));
  EXPECT_THAT(notes, Contains(HasSubstr("DRAM moved 5.403 MB, ")));
  EXPECT_THAT(
      notes,
      Contains(
          "a whole step was counted with its kernels concurrent: tensor cores 245.4 MFLOP, DRAM"
          " 1.5 MB"));
  EXPECT_THAT(notes, Contains("1 kernel belongs to no node of the network"));
  EXPECT_THAT(notes, Contains("no kernel was recorded for layers that should have work: pool"));
  EXPECT_THAT(notes, Contains(HasSubstr("an fp16 instruction does two lanes")));
}

TEST(CountedReport, DroppedLaunchesAreTold) {
  record::Counting counting = *analyze::counted_example().counting;
  counting.sets[1].dropped = 2;
  EXPECT_EQ(analyze::counting_notes(counting).back(), (Note{analyze::says.launches_dropped, {2}}));
  counting.sets.clear();
  EXPECT_EQ(analyze::counting_notes(counting), std::vector<Note>{{analyze::says.only_timed}});
}

TEST(CountedReport, JsonHasTheKeysOfTheManual) {
  const std::vector<MeasuredCase> cases = {counted_case()};
  const Json json = measure_view(cases, "").json["cases"][0]["counters"];
  EXPECT_EQ(json["chip"], "GH100");
  EXPECT_EQ(json["arming_s"], 0.75);
  EXPECT_EQ(json["wall_s"], 0.5);
  EXPECT_EQ(json["launches_per_step"], 4);
  EXPECT_EQ(json["sets"][0]["passes"], 4);
  EXPECT_EQ(json["sets"][0]["arming_s"], 0.15);
  EXPECT_EQ(json["sets"][2]["per_kernel"], true);
  EXPECT_EQ(json["peaks"]["dram__bytes.sum"], 1536.0);
  EXPECT_EQ(json["totals"]["launches"], 4);
  EXPECT_EQ(json["totals"]["dram_bytes"], 5'403'024);
  EXPECT_EQ(json["step"]["dram_bytes"], 1'500'000);
  EXPECT_TRUE(json["step"]["fp32_flop"].is_null());
  EXPECT_EQ(json["model_matrix_flop"], 231'211'008);
  const Json& conv = json["layers"][0];
  EXPECT_EQ(conv["node"], "conv");
  EXPECT_EQ(conv["op_class"], "convolution");
  EXPECT_EQ(conv["flop"], 245'968'896);
  EXPECT_EQ(conv["tensor_by_type"]["tensor_tf32_flop"], 245'366'784);
  EXPECT_EQ(conv["l2_bytes"], 13'000'000);
  EXPECT_EQ(conv["compulsory_bytes"], 1'392'640);
  EXPECT_EQ(conv["flop_gap"]["cause"], "padding");
  EXPECT_EQ(conv["bytes_gap"]["cause"], "layout conversion");
  EXPECT_EQ(conv["above_roofs"].size(), 0U);
  EXPECT_EQ(json["launches_without_node"], 1);
  EXPECT_EQ(json["nodes_without_launch"][0], "pool");
  // Without counters their JSON is null.
  record::Record bare = analyze::counted_example();
  bare.counting.reset();
  const std::vector<MeasuredCase> others = {
      analyze::measured_case_of(bare, device::Catalog({analyze::counted_device()}))};
  EXPECT_TRUE(measure_view(others, "").json["cases"][0]["counters"].is_null());
}

TEST(CountedReport, PointsAboveARoof) {
  record::Record record = analyze::counted_record();
  analyze::add_kernel(*record.kernels,
                      {.name = "k", .scope = 1, .time_s = 1e-4, .tensor = 1.1e9, .dram = 1e6});
  const std::vector<MeasuredCase> cases = {
      analyze::measured_case_of(record, device::Catalog({analyze::counted_device()}))};
  const page::Table table = counted_breach_table(cases.front());
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(cell(table, 0, "node").text, "conv");
  EXPECT_EQ(cell(table, 0, "modelled").text, "no");
  EXPECT_EQ(cell(table, 0, "roof").text, "TF32 tensor");
  EXPECT_EQ(cell(table, 0, "flop_per_s").text, "11 TFLOP/s");
  EXPECT_THAT(cell(table, 0, "text").text, HasSubstr("the reason is not known"));
  EXPECT_EQ(counted_breach_table(counted_case()).rows.size(), 0U);
}

TEST(CountedReport, PageHasARooflineOfTheLayers) {
  const std::vector<MeasuredCase> cases = {counted_case()};
  const page::Document page = measure_view(cases, "rooflab measure net --counters");
  const auto section =
      std::ranges::find(page.sections, "Counted by the hardware", &page::PageSection::heading);
  ASSERT_NE(section, page.sections.end());
  ASSERT_EQ(section->charts.size(), 1U);
  const auto& series = section->charts.front().chart.series;
  ASSERT_EQ(std::ranges::count(series, false, &chart::Series::keyed), 2);  // and by L2
  EXPECT_EQ(series.front().points.front().label, "conv");
  EXPECT_DOUBLE_EQ(series.front().points.front().y, 2.45968896e12);
  EXPECT_EQ(section->tables.size(), 2U);  // gaps; no point above a roof
  EXPECT_THAT(section->details.front().heading, HasSubstr("Counted: net on cuda:0"));
  EXPECT_THAT(page.sections.front().notes, Not(Contains(HasSubstr("counters were read on GH100"))));
  EXPECT_THAT(section->notes, Contains(HasSubstr("counters were read on GH100")));
}

}  // namespace
}  // namespace rooflab::report
