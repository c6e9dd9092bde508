#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "../base/note_matchers.hpp"
#include "../page/parts.hpp"
#include "../record/equal_fields.hpp"
#include "describe/schema.hpp"
#include "record/record_json.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;
using record::KernelFigure;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using enum record::KernelFigure;

/// Two launches of one kernel: 1 ms, 2000 bytes, 100 FLOPs on the CUDA cores, 900 on tensor cores.
record::Record counted_record() {
  record::Record record;
  record.identity.model = "run";
  record.identity.device = "cuda:0";
  record.environment.device.name = "NVIDIA H200";
  record.environment.device.compute_capability = "9.0";
  record::KernelTable& kernels = record.kernels.emplace();
  for (int i = 0; i < 2; ++i) {
    const std::size_t row = kernels.add({.name = kernels.names.intern("gemm, <img src=x>"),
                                         .process = kernels.processes.intern("a (1)"),
                                         .launch = i,
                                         .grid = {4, 1, 1},
                                         .block = {128, 1, 1}});
    for (const auto& [figure, value] :
         std::vector<std::pair<KernelFigure, double>>{{time_s, 1e-3},
                                                      {dram_read_bytes, 1500},
                                                      {dram_write_bytes, 500},
                                                      {fadd, 20},
                                                      {fmul, 40},
                                                      {ffma, 20},
                                                      {tensor_tf32, 900}}) {
      kernels.set(figure, row, value);
    }
  }
  record.lost = {{"rows that end early", 2, "line 17"}};
  record.warnings = {sentence("something to know")};
  return record;
}

std::vector<ImportedCase> cases_of(std::initializer_list<std::string> sources) {
  std::vector<ImportedCase> cases;
  for (const std::string& source : sources) {
    cases.push_back(
        analyze::imported_case_of(counted_record(), source, device::Catalog::built_in()));
  }
  return cases;
}

TEST(ImportView, JsonOfOneFileIsARecordWithTotalsInFront) {
  const std::vector<ImportedCase> cases = cases_of({"dir/run.csv"});
  const Json json = Json::parse(page::render(import_document(cases), page::Format::json));
  EXPECT_EQ(json["source"], "dir/run.csv");
  EXPECT_EQ(json["totals"]["launches"], 2);
  EXPECT_EQ(json["totals"]["time_s"], 0.002);
  EXPECT_EQ(json["totals"]["dram_bytes"], 4000);
  EXPECT_TRUE(json["totals"]["fp64_flop"].is_null());
  EXPECT_EQ(json["totals"]["fp32_flop"], 200);
  EXPECT_EQ(json["totals"]["tensor_flop"], 1800);
  EXPECT_EQ(json["totals"]["flop"], 2000);
  EXPECT_EQ(json["totals"]["intensity_flop_per_byte"], 0.5);
  EXPECT_EQ(json["totals"]["tensor_by_type"]["tensor_tf32_flop"], 1800);
  EXPECT_EQ(json["not_collected"], Json::parse(R"(["fp64_flop", "fp16_flop"])"));
  EXPECT_EQ(json["lost"][0]["count"], 2);
  EXPECT_EQ(json["warnings"][0]["text"], "something to know");
  EXPECT_EQ(json["kernels"].size(), 2U);
  EXPECT_EQ(json["kernels"][1]["flop"], 1000);
  EXPECT_TRUE(json["check"].is_null());
  EXPECT_EQ(from_file_json<record::Record>(json, "x.json"), counted_record());
}

TEST(ImportView, JsonOfSeveralFilesListsThem) {
  const std::vector<ImportedCase> cases = cases_of({"a.csv", "b.csv"});
  const Json json = Json::parse(page::render(import_document(cases), page::Format::json));
  EXPECT_EQ(json["command"], "import");
  ASSERT_EQ(json["imports"].size(), 2U);
  EXPECT_EQ(json["imports"][1]["source"], "b.csv");
  EXPECT_FALSE(json.contains("job"));
}

TEST(ImportView, CsvHasARowForWhatWasAskedFor) {
  const std::vector<ImportedCase> cases = cases_of({"a.csv"});
  const auto rows_of = [&](ImportRow per) {
    return page::read_csv(
        page::render(import_view(cases, std::nullopt, {.per = per}), page::Format::csv));
  };
  const auto files = rows_of(ImportRow::file);
  ASSERT_EQ(files.size(), 2U);
  EXPECT_THAT(
      files[0],
      ElementsAre("source", "device", "launches", "time_s", "dram_bytes", "fp64_flop", "fp32_flop",
                  "fp16_flop", "tensor_flop", "flop", "intensity_flop_per_byte", "flop_per_s",
                  "dram_bytes_per_s", "bound", "attainable_flop_per_s", "attainable_share",
                  "collected_fp32_flop", "collected_flop", "collected_intensity_flop_per_byte",
                  "collected_flop_per_s", "flop_is_bound", "flop_lacks"));
  // 0.5 FLOP/B of 4.8 TB/s are attainable; nothing but fp64 and fp16 is missing.
  EXPECT_THAT(files[1], ElementsAre("a.csv", "NVIDIA H200", "2", "0.002", "4000", "", "200", "",
                                    "1800", "2000", "0.5", "1000000", "2000000", "memory",
                                    "2400000000000", HasSubstr("e-07"), "200", "2000", "0.5",
                                    "1000000", "no", "fp64_flop, fp16_flop"));
  const auto kernels = rows_of(ImportRow::kernel);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[1][0], "gemm, <img src=x>");
  EXPECT_EQ(kernels[1][1], "2");
  const auto launches = rows_of(ImportRow::launch);
  ASSERT_EQ(launches.size(), 3U);
  EXPECT_EQ(launches[2][1], "1");
  EXPECT_EQ(launches[2][5], "4x1x1");
}

TEST(ImportView, NotesSayWhatAReaderMustKnow) {
  std::vector<ImportedCase> cases = cases_of({"a.csv"});
  predict::NetworkLimit model;
  model.matrix_flops = Flops(4000);
  cases[0].check = analyze::check_work(cases[0].totals, model);
  cases[0].check->network = "toy, batch 1, training";
  const page::Remarks notes = import_remarks(cases[0]);
  EXPECT_THAT(notes[0], HasSubstr("check against toy, batch 1, training: the log misses 50.0 %"));
  EXPECT_THAT(notes, Contains("not collected: fp64_flop, fp16_flop"));
  EXPECT_THAT(notes, Contains("something to know"));
  EXPECT_THAT(notes,
              Contains("lost or not used in full: rows that end early: 2, the first at line 17"));
  const Json json = Json::parse(page::render(import_document(cases), page::Format::json));
  EXPECT_EQ(json["check"]["missing_share"], 0.5);
  EXPECT_EQ(json["check"]["tensor_flop"], 1800);
  EXPECT_EQ(json["check"]["passes_check"], false);
}

/// A record of `rooflab profile` in its cheap form: times by kernel, counters of whole steps.
TEST(ImportView, ACountedStepStandsInForKernelsWithoutCounters) {
  record::Record record;
  record.environment.device.name = "NVIDIA H200";
  record.environment.device.compute_capability = "9.0";
  record::KernelTable& kernels = record.kernels.emplace();
  kernels.add({.name = kernels.names.intern("gemm")});
  kernels.set(time_s, 0, 1e-3);
  record::Counting& counting = record.counting.emplace();
  counting.chip = "GH100";
  counting.arming_s = 0.125;
  counting.wall_s = 0.25;
  counting.sets = {
      {{"dram__bytes_read.sum", "dram__bytes_write.sum"}, false, 1, 0.125, 0.25, 1, 0}};
  // 132 multiprocessors of 128 lanes, of 2048 dense TF32 operations a clock.
  counting.peaks = {{"dram__bytes.sum", 1536.0},
                    {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum", 16896.0},
                    {"sm__ops_path_tensor_src_tf32_dst_fp32.sum", 270336.0}};
  record::KernelTable& step = counting.step.emplace();
  step.add({.name = step.names.intern("(step)")});
  step.set(dram_read_bytes, 0, 98'800'000);
  step.set(dram_write_bytes, 0, 95'400'000);
  step.set(tensor_tf32, 0, 6'472'859'648);
  step.set(sm_busy, 0, 0.5);
  step.set(sm_clock_hz, 0, 1.5e9);
  const std::vector<ImportedCase> cases = {
      analyze::imported_case_of(record, "run.json", device::Catalog::built_in())};
  const page::Table table = import_totals_table(cases);
  EXPECT_EQ(table.columns[4].key, "dram_bytes");
  EXPECT_EQ(table.rows[0][4].text, "194.2 MB");
  EXPECT_EQ(table.columns[8].key, "tensor_flop");
  EXPECT_EQ(table.rows[0][8].raw, "6472859648");
  EXPECT_EQ(table.rows[0][9].raw, "");  // the sum is missing without CUDA cores
  const page::Remarks notes = import_remarks(cases.front());
  EXPECT_THAT(notes,
              Contains(HasSubstr("counters were read on GH100 in 250 ms, after 125 ms to program"
                                 " them: 2 metrics in 1 pass, one per step, 1 over")));
  EXPECT_THAT(notes, Contains(HasSubstr(
                         "a whole step was counted with its kernels concurrent: tensor cores 6.473"
                         " GFLOP, DRAM 194.2 MB, SM clock 1.5 GHz, SM busy 50.0 %;"
                         " CUDA cores can be counted kernel by kernel only")));
  EXPECT_THAT(notes, Contains("the chip at most, at this clock: fp32 50.69 TFLOP/s, tensor tf32"
                              " 405.5 TFLOP/s"));
  EXPECT_THAT(notes, Contains(HasSubstr("not collected kernel by kernel: dram_bytes")));
}

TEST(ImportView, TopKeepsTheLongest) {
  std::vector<ImportedCase> cases = cases_of({"a.csv"});
  analyze::KernelGroup other = cases[0].kernels.front();
  other.name = std::string(80, 'x');
  cases[0].kernels.push_back(other);
  EXPECT_EQ(kernel_table(cases[0], 1).rows.size(), 1U);
  EXPECT_THAT(kernel_table(cases[0], 1).title, HasSubstr("the 1 that take longest of 2"));
  const page::Table all = kernel_table(cases[0], 0);
  ASSERT_EQ(all.rows.size(), 2U);
  // Long names are cut for people and whole in CSV.
  const page::Document document{.tables = {all}};
  EXPECT_THAT(page::render(document, page::Format::table),
              HasSubstr(std::string(28, 'x') + "…" + std::string(27, 'x') + " "));
  EXPECT_THAT(page::render(document, page::Format::csv), HasSubstr(std::string(80, 'x') + ","));
}

}  // namespace
}  // namespace rooflab::report
