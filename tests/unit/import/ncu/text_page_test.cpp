#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../base/note_matchers.hpp"
#include "../../base/thrown_error.hpp"
#include "base/format.hpp"
#include "notes/import_notes.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"
#include "rooflab/record/kernel_sums.hpp"
#include "rooflab/system/file.hpp"

// The text that ncu prints without --csv: docs/formats/ncu.md.
namespace rooflab::import {
namespace {

using record::KernelFigure;
using record::Record;
using testing::Contains;
using testing::HasSubstr;

const std::string samples = ROOFLAB_SOURCE_DIR "/tests/data/import/ncu/";

Record read_text(const std::string& text) { return read_ncu_log_text(text, "run.out"); }

std::int64_t lost_in(const Record& record, std::string_view what) {
  for (const record::Loss& loss : record.lost) {
    if (loss.what == what) return loss.count;
  }
  return 0;
}

constexpr std::string_view rule = "    -------------------------- ----------- ------------\n";

/// A launch in the form of 2023 and later, with these rows.
std::string launch(std::string_view kernel, std::string_view rows, std::string_view end = rule) {
  return format(
      "  {} (10, 1, 3)x(64, 2, 1), Context 1, Stream 13, Device 1, CC 8.6\n"
      "    Section: Command line profiler metrics\n{}"
      "    Metric Name                Metric Unit Metric Value\n{}{}{}\n",
      kernel, rule, rule, rows, end);
}
constexpr std::string_view process = "[2191] app@node7\n";
constexpr std::string_view time_row = "    gpu__time_duration.sum              us         3.20\n";

TEST(NcuText, ReadsTheFormUpTo2022) {
  const Record record = read_ncu_log(samples + "text-2021.out");
  ASSERT_EQ(record.kernels->size(), 2U);
  EXPECT_EQ(record.kernels->name(0),
            "void at::native::vectorized_elementwise_kernel<(int)4, at::native::AddFunctor<float>,"
            " at::detail::Array<char *, (int)3>>(int, T2, T3)");
  EXPECT_EQ(record.kernels->process(1), "python3.9 (2191 on 127.0.0.1)");
  EXPECT_EQ(record.kernels->launch(1).launch, 1);
  EXPECT_EQ(record.kernels->launch(1).stream, 7);
  const record::KernelSums sums = record::sums_of(*record.kernels, false);
  // 118.78 kB + 2.05 kB + 2.5 MB + 1.25 MB, 3.2 us + 25 us, and 10,240 + 2 * 10,240 +
  // 1,000 + 2,000 + 2 * 115,605,504 FLOP.
  EXPECT_DOUBLE_EQ(sums.at(KernelFigure::dram_bytes).value(), 3'870'830.0);
  EXPECT_DOUBLE_EQ(sums.at(KernelFigure::time_s).value(), 28.2e-6);
  EXPECT_EQ(sums.at(KernelFigure::flops), 231'244'728.0);
  EXPECT_TRUE(record.lost.empty());
}

TEST(NcuText, ReadsTheFormSince2023) {
  const Record record = read_text(std::string(process) + launch("void k<1, 2>(float *)", time_row) +
                                  launch("k2", time_row));
  ASSERT_EQ(record.kernels->size(), 2U);
  EXPECT_EQ(record.kernels->name(0), "void k<1, 2>(float *)");
  const record::KernelLaunch& first = record.kernels->launch(0);
  EXPECT_EQ(first.grid, (record::Extent{10, 1, 3}));
  EXPECT_EQ(first.block, (record::Extent{64, 2, 1}));
  EXPECT_EQ(first.device, 1);
  EXPECT_EQ(first.stream, 13);
  EXPECT_EQ(record.environment.device.compute_capability, "8.6");
  EXPECT_DOUBLE_EQ(record.kernels->at(KernelFigure::time_s, 1).value(), 3.2e-6);
}

TEST(NcuText, ReadsLabelsOfSections) {
  const Record record =
      read_text(launch("k",
                       "    Duration                       usecond        24.64\n"
                       "    Memory Throughput              Gbyte/s       500.00\n"
                       "    Memory Throughput                    %        41.30\n"));
  EXPECT_DOUBLE_EQ(record.kernels->at(KernelFigure::time_s, 0).value(), 24.64e-6);
  // 500 GB/s for 24.64 us.
  EXPECT_DOUBLE_EQ(record.kernels->at(KernelFigure::dram_bytes, 0).value(), 12.32e6);
}

TEST(NcuText, ProcessesCountTheirLaunchesApart) {
  const Record record = read_text(std::string(process) + launch("a", time_row) +
                                  "[2192] app@node7\n" + launch("b", time_row));
  EXPECT_EQ(record.kernels->process(0), "app (2191 on node7)");
  EXPECT_EQ(record.kernels->process(1), "app (2192 on node7)");
  EXPECT_EQ(record.kernels->launch(1).launch, 0);
}

TEST(NcuText, WithoutALineOfTheProcessItIsNotKnown) {
  EXPECT_EQ(read_text(launch("a", time_row)).kernels->process(0), "");
}

TEST(NcuText, PassesOverWhatTheProgramPrints) {
  const std::string rows = std::string(time_row) + "epoch 1: loss 0.31\n" +
                           "    dram__bytes_read.sum             Kbyte        10.00\n";
  const Record record =
      read_text("epoch 0\n" + std::string(process) + launch("a", rows) + "done\n");
  EXPECT_EQ(record.kernels->at(KernelFigure::dram_read_bytes, 0), 10'000.0);
  EXPECT_TRUE(record.lost.empty());
}

TEST(NcuText, NamesMayBeWiderThanTheirColumn) {
  const Record record = read_text(
      launch("a", "    smsp__sass_thread_inst_executed_op_ffma_pred_on.sum inst 1,234,567\n"));
  EXPECT_EQ(record.kernels->at(KernelFigure::ffma, 0), 1'234'567.0);
}

TEST(NcuText, ACutRowIsNotRead) {
  const std::string text =
      launch("a", time_row, "    dram__bytes_read.sum             Kbyte        1");
  const Record record = read_text(text.substr(0, text.size() - 1));
  EXPECT_FALSE(record.kernels->at(KernelFigure::dram_read_bytes, 0));
  EXPECT_EQ(lost_in(record, "rows that end early"), 1);
  EXPECT_EQ(lost_in(record, "text tables that end early"), 1);
  EXPECT_EQ(record.lost.front().first, "line 7");
}

TEST(NcuText, LinesThatAreNoRowAreCounted) {
  EXPECT_EQ(lost_in(read_text(launch("a", "    something else\n")),
                    "lines of a text table that cannot be read"),
            1);
}

TEST(NcuText, NumbersMayBeWrittenAsInOtherLanguages) {
  const Record record =
      read_text(launch("a",
                       "    gpu__time_duration.sum              us        26,67\n"
                       "    dram__bytes_read.sum              byte    1.234.567\n"));
  EXPECT_EQ(record.kernels->at(KernelFigure::dram_read_bytes, 0), 1'234'567.0);
}

TEST(NcuText, AMisspeltMetricIsNamedAndTheRestIsRead) {
  const Record record = read_ncu_log(samples + "text-2024-misspelt.out");
  EXPECT_THAT(record.warnings, Contains(Note{says.metric_unknown,
                                             {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
                                              "smsp__sass_thread_inst_executed_op_fadd_p.sum"}}));
  const record::KernelSums sums = record::sums_of(*record.kernels, true);
  EXPECT_FALSE(sums.at(KernelFigure::fp32_flops));
  // 2 * 10,240 + 2,000 + 2 * 115,605,504.
  EXPECT_EQ(sums.at(KernelFigure::collected_fp32_flops), 231'233'488.0);
  EXPECT_TRUE(sums.flop_is_bound());
  // 4,096 instructions of two lanes and two operations at most.
  EXPECT_THAT(record.warnings, Contains(HasValue(says.instructions_only, 4.0 * 4096)));
}

TEST(NcuText, ALogWithoutAKernelIsAnError) {
  const Error error = thrown_error([] {
    (void)read_text("==PROF== Connected to process 1 (/a)\n==PROF== Disconnected from process 1\n");
  });
  EXPECT_THAT(error.what(), HasSubstr("holds no table of kernels"));
}

/// A text that ends anywhere gives what it has, or an error.
TEST(NcuText, MayEndAnywhere) {
  const std::string text = read_file(samples + "text-2024-misspelt.out");
  for (std::size_t size = 0; size < text.size(); size += 7) {
    try {
      const Record record = read_text(text.substr(0, size));
      EXPECT_FALSE(record.kernels->empty());
    } catch (const Error& error) {
      EXPECT_TRUE(error.is_of_input());
    }
  }
}

}  // namespace
}  // namespace rooflab::import
