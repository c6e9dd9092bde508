#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "../../base/note_matchers.hpp"
#include "../../base/thrown_error.hpp"
#include "base/format.hpp"
#include "import/ncu_command.hpp"
#include "notes/import_notes.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"
#include "rooflab/record/kernel_sums.hpp"

namespace rooflab::import {
namespace {

using record::KernelFigure;
using record::KernelTable;
using record::Record;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view identity_columns =
    R"csv("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",)csv"
    R"csv("Block Size","Grid Size","Device","CC")csv";

/// `"a","b"` with a comma before it.
std::string quoted(const std::vector<std::string>& fields) {
  std::string text;
  for (const std::string& field : fields) text += ",\"" + field + "\"";
  return text;
}

std::string table_header(const std::vector<std::string>& metrics) {
  return std::string(identity_columns) + quoted(metrics) + "\n";
}
std::string units(const std::vector<std::string>& units) {
  return R"csv("","","","","","","","","","","")csv" + quoted(units) + "\n";
}
std::string row(int id, const std::vector<std::string>& values, std::string_view kernel = "kernel",
                int process = 7, std::string_view capability = "6.1", int device = 0) {
  return format(R"csv("{}","{}","app","host","{}","1","13","(64, 2, 1)","(10, 1, 3)","{}","{}")csv",
                id, process, kernel, device, capability) +
         quoted(values) + "\n";
}

Record read_log(const std::string& text) { return read_ncu_log_text(text, "logs/net.csv"); }

Error log_error(const std::string& text) {
  return thrown_error([&] { return read_log(text); });
}

std::optional<double> figure(const Record& record, KernelFigure which, std::size_t row = 0) {
  return record.kernels->at(which, row);
}

std::int64_t lost(const Record& record, std::string_view what) {
  for (const record::Loss& loss : record.lost) {
    if (loss.what == what) return loss.count;
  }
  return 0;
}

const std::string time_metric = "gpu__time_duration.sum";
const std::string ffma_metric = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";

/// One launch with one metric.
Record one(const std::string& metric, const std::string& unit, const std::string& value) {
  return read_log(table_header({metric}) + units({unit}) + row(0, {value}));
}

// ---- the raw page -------------------------------------------------------------------------------

TEST(NcuReader, ReadsARawPage) {
  const Record record = read_log(
      "==PROF== Connected to process 7 (/usr/bin/app)\n" +
      table_header({"device__attribute_display_name", "device__attribute_multiprocessor_count",
                    "dram__bytes_read.avg", "dram__bytes_read.sum", "dram__bytes_write.sum",
                    time_metric, ffma_metric}) +
      units({"", "", "byte", "byte", "byte", "ns", "inst"}) +
      row(0, {"NVIDIA H200", "132", "26.67", "1,280", "640", "19,488", "71,598,080"}, "gemm", 7,
          "9.0") +
      row(1, {"NVIDIA H200", "132", "0", "0", "64", "2,000", "5"}, "relu", 7, "9.0"));
  ASSERT_TRUE(record.kernels);
  const KernelTable& kernels = *record.kernels;
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels.name(0), "gemm");
  EXPECT_EQ(kernels.launch(0).grid, (record::Extent{10, 1, 3}));
  EXPECT_EQ(kernels.launch(0).block, (record::Extent{64, 2, 1}));
  EXPECT_EQ(kernels.launch(1).launch, 1);
  EXPECT_EQ(kernels.launch(1).stream, 13);
  EXPECT_EQ(kernels.processes[kernels.launch(0).process], "app (7 on host)");
  EXPECT_DOUBLE_EQ(*kernels.at(KernelFigure::time_s, 0), 19488e-9);
  EXPECT_EQ(kernels.at(KernelFigure::dram_read_bytes, 0), 1280.0);
  EXPECT_EQ(kernels.at(KernelFigure::dram_write_bytes, 1), 64.0);
  EXPECT_EQ(kernels.at(KernelFigure::ffma, 0), 71598080.0);
  EXPECT_FALSE(kernels.has(KernelFigure::fadd));

  EXPECT_EQ(record.status, record::Status::ok);
  EXPECT_EQ(record.identity.model, "net");
  EXPECT_EQ(record.identity.device, "cuda:0");
  EXPECT_EQ(record.environment.device.name, "NVIDIA H200");
  EXPECT_EQ(record.environment.device.compute_capability, "9.0");
  EXPECT_EQ(record.environment.device.multiprocessors, 132);
  EXPECT_TRUE(record.environment.libraries.empty());
  EXPECT_THAT(record.lost, IsEmpty());
}

TEST(NcuReader, ReadsScaledUnits) {
  EXPECT_DOUBLE_EQ(*figure(one(time_metric, "usecond", "19.49"), KernelFigure::time_s), 19.49e-6);
  EXPECT_DOUBLE_EQ(
      *figure(one("dram__bytes_read.sum", "Kbyte", "1.28"), KernelFigure::dram_read_bytes), 1280.0);
  EXPECT_DOUBLE_EQ(*figure(one("sm__cycles_elapsed.avg.per_second", "cycle/nsecond", "1.98"),
                           KernelFigure::sm_clock_hz),
                   1.98e9);
  EXPECT_DOUBLE_EQ(*figure(one("sm__warps_active.avg.pct_of_peak_sustained_active", "%", "37.5"),
                           KernelFigure::occupancy),
                   0.375);
}

TEST(NcuReader, AnUnknownUnitIsCountedAndNotGuessed) {
  const Record record = one(time_metric, "fortnight", "2");
  EXPECT_FALSE(record.kernels->has(KernelFigure::time_s));
  EXPECT_EQ(lost(record, "values in a unit that is not known"), 1);
  EXPECT_EQ(record.lost[0].first, "line 3");
  EXPECT_THAT(record.warnings,
              Contains(HasValue(says.units_unknown, "gpu__time_duration.sum in 'fortnight'")));
  // The units row was cut away: a time has no unit, a count needs none.
  const Record bare = read_log(table_header({time_metric, ffma_metric}) + row(0, {"19488", "12"}));
  EXPECT_FALSE(bare.kernels->has(KernelFigure::time_s));
  EXPECT_EQ(figure(bare, KernelFigure::ffma), 12.0);
}

TEST(NcuReader, NotCollectedIsNotZero) {
  for (const std::string value : {"", "n/a", "(!) n/a", "nan", "inf", "no data"}) {
    const Record record = one(ffma_metric, "inst", value);
    EXPECT_FALSE(record.kernels->has(KernelFigure::ffma)) << value;
    EXPECT_THAT(record.lost, IsEmpty()) << value;
  }
  EXPECT_EQ(figure(one(ffma_metric, "inst", "0"), KernelFigure::ffma), 0.0);
}

TEST(NcuReader, ImpossibleValuesAreLost) {
  EXPECT_EQ(lost(one(ffma_metric, "inst", "-5"), "values below zero"), 1);
  EXPECT_EQ(lost(one(ffma_metric, "inst", "2000000000000000000"), "values over 1e18"), 1);
  EXPECT_EQ(lost(one(ffma_metric, "inst", "1e400"), "values that are not a number"), 1);
  EXPECT_EQ(lost(one(ffma_metric, "inst", "True"), "values that are not a number"), 1);
  EXPECT_EQ(lost(one(ffma_metric, "inst", "(!) 7"), "values that ncu marks as doubtful"), 1);
  EXPECT_FALSE(one(ffma_metric, "inst", "-5").kernels->has(KernelFigure::ffma));
}

TEST(NcuReader, TakesTheSumOfInstances) {
  EXPECT_EQ(figure(one(ffma_metric, "inst", "123 (1; 2; 120)"), KernelFigure::ffma), 123.0);
}

TEST(NcuReader, AlternativesOfACounterAreNotAdded) {
  const std::string elsewhere = "sm__sass_thread_inst_executed_op_ffma_pred_on.sum";
  EXPECT_EQ(figure(read_log(table_header({elsewhere, ffma_metric}) + row(0, {"9", "9"})),
                   KernelFigure::ffma),
            9.0);
  EXPECT_EQ(figure(read_log(table_header({elsewhere, ffma_metric}) + row(0, {"9", "n/a"})),
                   KernelFigure::ffma),
            9.0);
}

TEST(NcuReader, PartsOfAFigureAddUpOrAreUnknown) {
  const std::vector<std::string> metrics = {"sm__ops_path_tensor_src_fp8_dst_fp16.sum",
                                            "sm__ops_path_tensor_src_fp8_dst_fp32.sum",
                                            "sm__ops_path_tensor_op_hmma_src_fp8_dst_fp32.sum"};
  EXPECT_EQ(
      figure(read_log(table_header(metrics) + row(0, {"4", "6", "5"})), KernelFigure::tensor_fp8),
      10.0);
  EXPECT_FALSE(figure(read_log(table_header(metrics) + row(0, {"4", "n/a", "5"})),
                      KernelFigure::tensor_fp8));
}

// ---- derived counters ---------------------------------------------------------------------------

TEST(NcuReader, RatesACycleAreTimesTheCycles) {
  const Record record = read_log(
      table_header({"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed",
                    "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2",
                    "derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2",
                    "smsp__cycles_elapsed.max"}) +
      units({"inst/cycle", "inst", "inst", "cycle"}) + row(0, {"1.5", "256", "33,792", "2,000"}));
  EXPECT_EQ(figure(record, KernelFigure::fadd), 3000.0);
  // 256 is the achieved FLOP a cycle: 128 instructions. 33,792 is the peak, 132 * 128 * 2.
  EXPECT_EQ(figure(record, KernelFigure::ffma), 256000.0);
  EXPECT_THAT(record.warnings, Contains(HasCode(says.derived_by_cycles)));
}

TEST(NcuReader, CyclesMayBeClockTimesTime) {
  const Record record = read_log(
      table_header({"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed",
                    "smsp__cycles_elapsed.avg.per_second", time_metric}) +
      units({"inst/cycle", "Ghz", "us"}) + row(0, {"3", "2", "5"}));
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::fadd), 3.0 * 2e9 * 5e-6);
}

TEST(NcuReader, RatesWithoutCyclesAreLost) {
  const Record record = read_log(
      table_header({"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed"}) +
      units({"inst/cycle"}) + row(0, {"3"}));
  EXPECT_FALSE(record.kernels->has(KernelFigure::fadd));
  EXPECT_EQ(lost(record, "launches with counts a cycle but without elapsed cycles"), 1);
}

TEST(NcuReader, RatesASecondAreTimesTheTime) {
  const Record record = read_log(table_header({"dram__bytes.sum.per_second", time_metric}) +
                                 units({"Gbyte/second", "us"}) + row(0, {"2", "3"}));
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::dram_bytes), 6000.0);
  EXPECT_THAT(record.warnings, Contains(HasCode(says.derived_by_time)));
}

TEST(NcuReader, ACounterIsPreferredToARate) {
  const Record record =
      read_log(table_header({"dram__bytes.sum.per_second", time_metric, "dram__bytes.sum"}) +
               units({"byte/second", "s", "byte"}) + row(0, {"2", "3", "5"}));
  EXPECT_EQ(figure(record, KernelFigure::dram_bytes), 5.0);
  EXPECT_THAT(record.warnings, Not(Contains(HasCode(says.derived_by_time))));
}

// ---- numbers of other languages -----------------------------------------------------------------

TEST(NcuReader, ReadsAEuropeanLogFromItsStart) {
  // The first row alone could be of either notation; the decimals of the last decide.
  const Record record = read_log(table_header({time_metric, ffma_metric}) + units({"us", "inst"}) +
                                 row(0, {"1.234", "5.000"}) + row(1, {"26,67", "1.000.000"}));
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::time_s, 0), 1234e-6);
  EXPECT_EQ(figure(record, KernelFigure::ffma, 0), 5000.0);
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::time_s, 1), 26.67e-6);
  ASSERT_EQ(record.kernels->size(), 2U);
  EXPECT_THAT(record.warnings, Contains(HasCode(says.numbers_european)));
}

TEST(NcuReader, AmbiguousNumbersAreEnglishAndSaidSo) {
  const Record record = one(time_metric, "us", "1,234");
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::time_s), 1234e-6);
  EXPECT_THAT(record.warnings, Contains(Note{says.numbers_ambiguous, {1, "1,234"}}));
  // An average elsewhere in the row decides, so nothing need be said.
  const Record decided =
      read_log(table_header({"dram__bytes_read.avg", ffma_metric}) + row(0, {"26.67", "1,234"}));
  EXPECT_THAT(decided.warnings, Not(Contains(HasCode(says.numbers_ambiguous))));
}

// A German log: 1234 ns and 2500 bytes, which as English numbers would have fractions.
TEST(NcuReader, CountsHaveNoFractions) {
  const Record record = read_log(table_header({time_metric, "dram__bytes.sum"}) +
                                 units({"ns", "byte"}) + row(0, {"1.234", "2.500"}));
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::time_s), 1234e-9);
  EXPECT_THAT(record.warnings, Contains(HasCode(says.numbers_european)));
  EXPECT_THAT(record.warnings, Not(Contains(HasCode(says.numbers_ambiguous))));
}

// ---- headers, processes and what is between -----------------------------------------------------

TEST(NcuReader, ReadsOldHeaders) {
  const Record record = read_log(
      R"csv("ID","Process ID","Process Name","Host Name","thread Domain:Push/Pop_Range:PL_Type","Kernel Name","Kernel Time","Context","Stream","launch__block_dim_x","launch__block_dim_y","launch__block_dim_z","launch__grid_dim_x","launch__grid_dim_y","launch__grid_dim_z","gpu__time_duration.sum")csv"
      "\n"
      R"csv("","","","","","","","","","block","block","block","","","","nsecond")csv"
      "\n"
      R"csv("0","7","app","host","","kernel","2021-Jul-07 12:00:00","1","7","1,024","1","1","8","2","1","500")csv"
      "\n");
  ASSERT_EQ(record.kernels->size(), 1U);
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::time_s), 500e-9);
  EXPECT_EQ(record.kernels->launch(0).block, (record::Extent{1024, 1, 1}));
  EXPECT_EQ(record.kernels->launch(0).grid, (record::Extent{8, 2, 1}));
  EXPECT_FALSE(record.environment.device.compute_capability);
  EXPECT_THAT(record.warnings, Contains(HasCode(says.tensor_work_unknown)));
}

TEST(NcuReader, SeparatesProcessesWhoseIdsRestart) {
  const Record record =
      read_log(table_header({ffma_metric}) + units({"inst"}) + row(0, {"1"}, "a", 7) +
               row(0, {"2"}, "b", 8) + row(1, {"3"}, "a", 7) + row(1, {"4"}, "b", 8));
  const KernelTable& kernels = *record.kernels;
  ASSERT_EQ(kernels.size(), 4U);
  EXPECT_EQ(kernels.processes.size(), 2U);
  EXPECT_EQ(kernels.processes[kernels.launch(3).process], "app (8 on host)");
  EXPECT_EQ(kernels.sum(KernelFigure::ffma), 10.0);
}

TEST(NcuReader, ReadsSeveralTablesWithTheirOwnUnits) {
  const Record record =
      read_log(table_header({time_metric}) + units({"us"}) + row(0, {"5"}) +
               "==PROF== Disconnected from process 7\n" + table_header({ffma_metric, time_metric}) +
               units({"inst", "ns"}) + row(0, {"3", "70"}));
  ASSERT_EQ(record.kernels->size(), 2U);
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::time_s, 0), 5e-6);
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::time_s, 1), 70e-9);
  EXPECT_EQ(figure(record, KernelFigure::ffma, 1), 3.0);
}

TEST(NcuReader, PassesOverTheApplicationsOutput) {
  const Record record =
      read_log("epoch 1, loss 0.3\n{\"loss\": 0.3}\nstep done..." + table_header({ffma_metric}) +
               units({"inst"}) + row(0, {"1"}) + "\"loss\": 0.2, \"a\",\"b\"\n" + "epoch 2 " +
               row(1, {"2"}) + "==PROF== Profiling \"k\" - 0: 0%....50%....100% - 9 passes\n\n" +
               row(2, {"4"}));
  ASSERT_EQ(record.kernels->size(), 3U);
  EXPECT_EQ(record.kernels->sum(KernelFigure::ffma), 7.0);
  EXPECT_THAT(record.lost, IsEmpty());
}

TEST(NcuReader, ARowThatOutputToreIsLostAndNoOther) {
  const std::string torn = row(1, {"2", "8"});
  const Record record = read_log(table_header({ffma_metric, time_metric}) + units({"inst", "ns"}) +
                                 row(0, {"1", "5"}) + torn.substr(0, torn.size() - 5) +
                                 "epoch 2\n" + "tail\",\"0\",\"0\",\"0\"\n" + row(2, {"4", "5"}));
  ASSERT_EQ(record.kernels->size(), 2U);
  EXPECT_EQ(record.kernels->sum(KernelFigure::ffma), 5.0);
  EXPECT_EQ(lost(record, "torn rows"), 2);
  EXPECT_EQ(record.lost[0].first, "line 4");
}

TEST(NcuReader, KeepsWhatAShortRowHas) {
  const std::string whole = row(1, {"2", "8"});
  const Record record = read_log(table_header({ffma_metric, time_metric}) + units({"inst", "ns"}) +
                                 row(0, {"1", "5"}) + whole.substr(0, whole.size() - 5) + "\n" +
                                 R"csv("2","7","app")csv" + "\n" + row(3, {"1", "1", "1"}));
  ASSERT_EQ(record.kernels->size(), 2U);
  EXPECT_EQ(figure(record, KernelFigure::ffma, 1), 2.0);
  EXPECT_FALSE(figure(record, KernelFigure::time_s, 1));
  EXPECT_EQ(lost(record, "rows that end early"), 2);
  EXPECT_EQ(lost(record, "rows with more fields than the header"), 1);
}

TEST(NcuReader, ReadsCarriageReturnsAndByteOrderMarks) {
  std::string text =
      "\xef\xbb\xbf" + table_header({ffma_metric}) + units({"inst"}) + row(0, {"12"});
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) {
    text.insert(at, "\r");
  }
  EXPECT_EQ(figure(read_log(text), KernelFigure::ffma), 12.0);
}

TEST(NcuReader, ReadsATableThatWasWrittenAgainWithoutQuotes) {
  const Record record = read_log(
      "ID,Process ID,Process Name,Host Name,Kernel Name,Stream,gpu__time_duration.sum\n"
      ",,,,,,ns\n"
      "0,7,app,host,\"f<int, 2>\",7,\"19,488.5\"\n");
  ASSERT_EQ(record.kernels->size(), 1U);
  EXPECT_EQ(record.kernels->name(0), "f<int, 2>");
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::time_s), 19488.5e-9);
}

TEST(NcuReader, KeepsStrangeKernelNames) {
  const Record record =
      read_log(table_header({ffma_metric}) + units({"inst"}) +
               row(0, {"1"}, R"(f<"""", int>(T1 *, long))") + row(1, {"2"}, "two\nlines") +
               row(2, {"3"}, "bad \xff\xfe utf-8") + row(3, {"4"}, "<img src=x onerror=alert(1)>"));
  ASSERT_EQ(record.kernels->size(), 4U);
  EXPECT_EQ(record.kernels->name(0), R"(f<"", int>(T1 *, long))");
  EXPECT_EQ(record.kernels->name(1), "two\nlines");
  EXPECT_EQ(record.kernels->name(2), "bad \xff\xfe utf-8");
  EXPECT_EQ(record.kernels->name(3), "<img src=x onerror=alert(1)>");
}

// ---- the details page ---------------------------------------------------------------------------

constexpr std::string_view details_header =
    R"csv("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",)csv"
    R"csv("Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit",)csv"
    R"csv("Metric Value","Rule Name","Rule Type","Rule Description")csv"
    "\n";

std::string detail(int id, std::string_view section, std::string_view name, std::string_view unit,
                   std::string_view value, int process = 7) {
  return format(
      R"csv("{}","{}","app","host","kernel","1","7","(64, 1, 1)","(2, 1, 1)","0","6.1","{}","{}","{}","{}",)csv"
      "\n",
      id, process, section, name, unit, value);
}

TEST(NcuReader, ReadsLabelsOfTheDetailsPage) {
  const Record record = read_log(
      std::string(details_header) + detail(0, "SOL", "DRAM Frequency", "hz", "3,190,551.10") +
      detail(0, "SOL", "Duration", "us", "20.5") +
      detail(0, "SOL", "SM Frequency", "cycle/nsecond", "1.96") +
      detail(0, "SOL", "Memory Throughput", "%", "29.49") +
      detail(0, "Memory", "Memory Throughput", "Gbyte/second", "2") +
      R"csv("0","7","app","host","kernel","1","7","(64, 1, 1)","(2, 1, 1)","0","6.1","SpeedOfLight","","","","Bottleneck","OPT","Too small, by far.")csv"
      "\n" +
      detail(0, "Launch", "Registers Per Thread", "register/thread", "78") +
      detail(0, "Launch", "Dynamic Shared Memory Per Block", "Kbyte/block", "7.04") +
      detail(0, "Launch", "Static Shared Memory Per Block", "byte/block", "60") +
      detail(0, "Launch", "# SMs", "SM", "132") +
      detail(0, "Occupancy", "Achieved Occupancy", "%", "4.5") +
      detail(1, "SOL", "Duration", "us", "3"));
  ASSERT_EQ(record.kernels->size(), 2U);
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::time_s), 20.5e-6);
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::sm_clock_hz), 1.96e9);
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::dram_bytes), 2e9 * 20.5e-6);
  EXPECT_EQ(figure(record, KernelFigure::registers_per_thread), 78.0);
  EXPECT_EQ(figure(record, KernelFigure::shared_memory_bytes), 7100.0);
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::occupancy), 0.045);
  EXPECT_EQ(record.environment.device.multiprocessors, 132);
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::time_s, 1), 3e-6);
  EXPECT_FALSE(figure(record, KernelFigure::occupancy, 1));
  EXPECT_THAT(record.lost, IsEmpty());
  EXPECT_THAT(record.warnings, Contains(HasCode(says.derived_by_time)));
}

TEST(NcuReader, ReadsMetricNamesOfTheDetailsPage) {
  const std::string section = "Command line profiler metrics";
  const Record record = read_log(std::string(details_header) +
                                 detail(0, section, "dram__bytes_read.sum", "Mbyte", "1.5") +
                                 detail(0, section, "dram__bytes_read.avg", "Kbyte", "7") +
                                 detail(0, section, time_metric, "us", "4"));
  ASSERT_EQ(record.kernels->size(), 1U);
  EXPECT_EQ(figure(record, KernelFigure::dram_read_bytes), 1.5e6);
  EXPECT_DOUBLE_EQ(*figure(record, KernelFigure::time_s), 4e-6);
}

TEST(NcuReader, TellsMixedProcessesAndRepeatedLaunchesOfTheDetailsPageApart) {
  const std::string section = "SOL";
  const Record record =
      read_log(std::string(details_header) + detail(0, section, "Duration", "us", "1", 7) +
               detail(0, section, "Duration", "us", "2", 8) +
               detail(0, section, "SM Frequency", "Ghz", "1", 7) +
               detail(0, section, "SM Frequency", "Ghz", "2", 8) +
               // Another run whose process happens to have the same number.
               std::string(details_header) + detail(0, section, "Duration", "us", "4", 7));
  ASSERT_EQ(record.kernels->size(), 3U);
  EXPECT_DOUBLE_EQ(*record.kernels->sum(KernelFigure::time_s), 7e-6);
  EXPECT_EQ(figure(record, KernelFigure::sm_clock_hz, 0), 1e9);
  EXPECT_EQ(figure(record, KernelFigure::sm_clock_hz, 1), 2e9);
}

TEST(NcuReader, BothPagesOfAReportAreTheSameLaunches) {
  const std::string raw =
      table_header({ffma_metric}) + units({"inst"}) + row(0, {"5"}) + row(1, {"6"});
  const std::string details = std::string(details_header) +
                              detail(0, "SOL", "Duration", "us", "1") +
                              detail(1, "SOL", "Duration", "us", "2");
  for (const std::string& text : {raw + details, details + raw}) {
    const Record record = read_log(text);
    ASSERT_EQ(record.kernels->size(), 2U);
    EXPECT_EQ(record.kernels->sum(KernelFigure::ffma), 11.0);
    EXPECT_DOUBLE_EQ(*record.kernels->sum(KernelFigure::time_s), 3e-6);
  }
  // The raw page twice is two runs.
  EXPECT_EQ(read_log(raw + raw).kernels->size(), 4U);
}

TEST(NcuReader, DetailsRowsWithoutAValueEndEarly) {
  const Record record =
      read_log(std::string(details_header) + detail(0, "SOL", "Duration", "us", "1") +
               R"csv("0","7","app","host","kernel","1","7")csv" + "\n");
  EXPECT_EQ(lost(record, "rows that end early"), 1);
}

// ---- warnings -----------------------------------------------------------------------------------

TEST(NcuReader, SaysWhenTensorWorkWasNotCollected) {
  const Record record = read_log(table_header({ffma_metric}) + row(0, {"1"}, "k", 7, "9.0"));
  ASSERT_THAT(record.warnings, Contains(HasCode(says.tensor_work_missing)));
  // The sentence does not hold the metrics; its values do, for who shows the command.
  const std::vector<NoteValue>& values = record.warnings[0].values;
  ASSERT_EQ(values.size(), 3U);
  EXPECT_THAT(record.warnings[0].text(), HasSubstr("the log lacks their counters"));
  EXPECT_THAT(values[1].text(), HasSubstr("sm__ops_path_tensor_src_fp16.sum"));
  EXPECT_THAT(values[1].text(), HasSubstr("sm__ops_path_tensor_src_fp8.sum"));
  EXPECT_EQ(values[2].text(), ncu_command({9, 0}));
  // A metric that the chip does not have prints n/a.
  const Record wrong_name = read_log(table_header({"sm__ops_path_tensor_src_fp16_dst_fp32.sum"}) +
                                     row(0, {"n/a"}, "k", 7, "9.0"));
  EXPECT_THAT(wrong_name.warnings, Contains(HasCode(says.tensor_work_missing)));
  // A chip without tensor cores has nothing to collect.
  EXPECT_THAT(read_log(table_header({ffma_metric}) + row(0, {"1"}, "k", 7, "6.1")).warnings,
              IsEmpty());
}

TEST(NcuReader, TheTensorPipesInstructionsAreNoWork) {
  const Record record = read_log(table_header({"sm__inst_executed_pipe_tensor.sum"}) +
                                 row(0, {"760"}, "k", 7, "9.0"));
  EXPECT_FALSE(record::figures_of(*record.kernels, 0)[KernelFigure::tensor_flops]);
  EXPECT_THAT(record.warnings, Contains(HasCode(says.tensor_work_missing)));
}

TEST(NcuReader, SaysWhichInputTypesWereNotCollected) {
  const Record record = read_log(table_header({"sm__ops_path_tensor_src_tf32_dst_fp32.sum"}) +
                                 row(0, {"100"}, "k", 7, "9.0"));
  EXPECT_EQ(figure(record, KernelFigure::tensor_tf32), 100.0);
  EXPECT_THAT(
      record.warnings,
      ElementsAre(HasValue(says.tensor_types_missing,
                           std::vector<std::string>{"fp16", "bf16 into fp32", "fp64", "fp8"})));
  const Record all =
      read_log(table_header({"sm__ops_path_tensor_src_fp16_dst_fp16.sum",
                             "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum"}) +
               row(0, {"1", "2"}, "k", 7, "7.5"));
  EXPECT_THAT(all.warnings, IsEmpty());
}

TEST(NcuReader, SaysWhichHalfPrecisionCountsAreTheCompilersMoves) {
  const std::string op = "smsp__sass_thread_inst_executed_op_";
  const Record record = read_log(
      table_header({op + "hadd_pred_on.sum", op + "hmul_pred_on.sum", op + "hfma_pred_on.sum"}) +
      row(0, {"0", "0", "5"}) + row(1, {"0", "0", "300"}) + row(2, {"1", "0", "7"}));
  // Two lanes and two operations an instruction: 4 * 305.
  EXPECT_THAT(record.warnings, ElementsAre(Note{says.moves_ignored, {1220, 2}}));
}

TEST(NcuReader, SaysThatDramBytesAreNotThoseOfAFreeRun) {
  EXPECT_THAT(one("dram__bytes_read.sum", "byte", "5").warnings,
              testing::IsSupersetOf({HasCode(says.caches_flushed), HasCode(says.clocks_at_base)}));
  const Record unlocked =
      read_log("==WARNING== Note: Running with unmodified GPU clocks.\n" +
               table_header({"dram__bytes_read.sum"}) + units({"byte"}) + row(0, {"5"}));
  EXPECT_THAT(unlocked.warnings, testing::AllOf(Contains(HasCode(says.caches_flushed)),
                                                Not(Contains(HasCode(says.clocks_at_base)))));
}

TEST(NcuReader, TheFirstOfSeveralDevicesStandsForAll) {
  const Record record = read_log(table_header({ffma_metric}) + row(0, {"1"}, "k", 7, "6.1", 2) +
                                 row(1, {"1"}, "k", 7, "6.1", 0) + row(2, {"1"}, "k", 7, "6.1", 2));
  EXPECT_EQ(record.identity.device, "cuda:2");
  EXPECT_EQ(record.environment.device.index, 2);
  EXPECT_THAT(record.warnings, Contains(Note{says.several_devices, {2, 2}}));
}

TEST(NcuReader, RepeatsWhatNcuReported) {
  const Record record = read_log(table_header({ffma_metric}) + row(0, {"1"}) +
                                 "==ERROR== Out of memory\n==ERROR== again\n");
  EXPECT_THAT(record.warnings, Contains(Note{says.ncu_errors, {2, "==ERROR== Out of memory"}}));
}

// ---- files without a table ----------------------------------------------------------------------

TEST(NcuReader, SaysWhyThereIsNoTable) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "this is not a log of Nsight Compute"},
      {"hello\n", "this is not a log of Nsight Compute"},
      {"==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - no permission\n", "not allowed"},
      {"==PROF== Connected\n==ERROR== The application returned an error code (1).\n",
       "The application returned"},
      {"==WARNING== No kernels were profiled.\n", "profiled no kernel"},
      {"==PROF== Disconnected\n  kernel (1, 1, 1)x(64, 1, 1), Context 1\n", "no table of kernels"},
      {"\"Process ID\",\"Kernel Name\",\"Invocations\",\"Average\"\n", "summary"},
      {std::string("NVR\0\x10\x00", 6), "report of Nsight Compute"},
      {std::string("\xff\xfe\"\0I\0", 6), "UTF-16"},
      {table_header({ffma_metric}), "no kernel launch"},
      {table_header({ffma_metric}) + units({"inst"}), "no kernel launch"},
  };
  for (const auto& [text, expected] : cases) {
    const Error error = log_error(text);
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr(expected));
    EXPECT_FALSE(error.hint().empty()) << expected;
    EXPECT_EQ(error.location().file, "logs/net.csv");
  }
  EXPECT_EQ(log_error("\n\n" + table_header({ffma_metric})).location().line, 3);
}

TEST(NcuReader, AFileThatCannotBeReadIsAnError) {
  const std::filesystem::path folder = testing::TempDir();
  EXPECT_THROW((void)read_ncu_log(folder), Error);
  EXPECT_THROW((void)read_ncu_log(folder / "no such log.csv"), Error);
}

TEST(NcuReader, StreamsAFileAndTellsHowFar) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "rooflab-ncu.csv";
  {
    std::ofstream file(path, std::ios::binary);
    file << table_header({ffma_metric}) << units({"inst"});
    // 10 MB: several windows of the reader.
    for (int id = 0; id < 100000; ++id) file << row(id, {std::to_string(id)}, "some_kernel");
  }
  std::vector<double> done;
  const Record record =
      read_ncu_log(path, {.progress = [&](double part) { done.push_back(part); }});
  std::filesystem::remove(path);
  EXPECT_EQ(record.kernels->size(), 100000U);
  EXPECT_EQ(record.kernels->sum(KernelFigure::ffma), 99999.0 * 100000.0 / 2.0);
  EXPECT_THAT(record.lost, IsEmpty());
  ASSERT_GE(done.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_EQ(done.back(), 1.0);
}

TEST(NcuReader, ALineWithoutEndIsSkipped) {
  std::string text = table_header({ffma_metric}) + row(0, {"1"});
  text += std::string(100'000'000, 'x') + "\n" + row(1, {"2"});
  const Record record = read_log(text);
  EXPECT_EQ(record.kernels->sum(KernelFigure::ffma), 3.0);
  EXPECT_EQ(lost(record, "lines over 8 MiB"), 1);
  // The same in quotes.
  text = table_header({ffma_metric}) + "\"0\",\"" + std::string(20'000'000, 'x');
  EXPECT_THAT(log_error(text).what(), HasSubstr("no kernel launch"));
}

TEST(NcuReader, BinaryGarbageIsNoCrash) {
  std::string garbage = table_header({ffma_metric}) + units({"inst"});
  std::uint32_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 1664525U + 1013904223U;
    garbage += static_cast<char>(state >> 24U);
    if (i % 97 == 0) garbage += "\n\"5\",\"7\",\"a\",\"h\",\"k\",";
  }
  garbage += "\n" + row(0, {"12"});
  EXPECT_THAT(read_log(garbage).lost, Not(IsEmpty()));
  const std::string zeros(100000, '\0');
  EXPECT_THROW((void)read_log(zeros), Error);
  EXPECT_EQ(figure(read_log(zeros + table_header({ffma_metric}) + zeros + "\n" + row(0, {"12"})),
                   KernelFigure::ffma),
            12.0);
}

TEST(NcuReader, AShareAboveAllIsLost) {
  const auto read = [](const std::string& percent) {
    return read_ncu_log_text(
        "\"ID\",\"Process ID\",\"Kernel Name\",\"gpu__time_duration.sum\","
        "\"sm__warps_active.avg.pct_of_peak_sustained_active\"\n"
        "\"\",\"\",\"\",\"ns\",\"%\"\n\"0\",\"1\",\"k\",\"5\",\"" +
            percent + "\"\n",
        "run.csv");
  };
  const Record record = read("250");
  EXPECT_EQ(figure(record, KernelFigure::occupancy), std::nullopt);
  ASSERT_EQ(record.lost.size(), 1U);
  EXPECT_EQ(record.lost[0].what, "shares above 100 %");
  EXPECT_EQ(record.lost[0].first, "line 3");
  EXPECT_EQ(figure(read("100.02"), KernelFigure::occupancy), 1.0);  // several passes
  EXPECT_THAT(read("100.02").lost, IsEmpty());
}

}  // namespace
}  // namespace rooflab::import
