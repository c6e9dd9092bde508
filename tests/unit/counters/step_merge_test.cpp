#include "counters/step_merge.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace rooflab::counters {
namespace {

using enum record::KernelFigure;
using Launches = std::vector<std::uint32_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr const char* read_bytes = "dram__bytes_read.sum";
constexpr const char* ffma_count = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";

record::KernelTable table_of(std::size_t rows) {
  record::KernelTable kernels;
  for (std::size_t i = 0; i < rows; ++i) kernels.add({});
  return kernels;
}

TEST(StepMerge, LaunchesOfLikeStepsAreMatchedByPlace) {
  const Launches reference = {4, 7, 4};
  record::KernelTable kernels = table_of(3);
  const std::vector<CountedLaunches> sets = {
      {{read_bytes, "dram__bytes_write.sum"}, reference, {10, 1, 20, 2, 30, 3}},
      {{ffma_count}, reference, {100, 0, 300}},
  };
  const auto counts = merge_steps(kernels, reference, sets);
  EXPECT_EQ(counts, (std::vector<MergeCount>{{3, 0, 0}, {3, 0, 0}}));
  EXPECT_EQ(kernels.at(dram_read_bytes, 0), 10.0);
  EXPECT_EQ(kernels.at(dram_read_bytes, 2), 30.0);
  EXPECT_EQ(kernels.at(dram_write_bytes, 1), 2.0);
  EXPECT_EQ(kernels.at(ffma, 0), 100.0);
  EXPECT_EQ(kernels.at(ffma, 1), 0.0);  // counted, and none
}

// Kernel 9 came in between and the last 7 did not come.
TEST(StepMerge, LaunchesOfUnlikeStepsAreMatchedByFingerprint) {
  const Launches reference = {4, 7, 4, 7};
  record::KernelTable kernels = table_of(4);
  const std::vector<CountedLaunches> sets = {{{read_bytes}, {4, 9, 7, 4, 4}, {10, 99, 20, 30, 40}}};
  const auto counts = merge_steps(kernels, reference, sets);
  // The third 4 has no like, nor has the 9.
  EXPECT_EQ(counts, (std::vector<MergeCount>{{3, 1, 2}}));
  EXPECT_EQ(kernels.at(dram_read_bytes, 0), 10.0);
  EXPECT_EQ(kernels.at(dram_read_bytes, 1), 20.0);
  EXPECT_EQ(kernels.at(dram_read_bytes, 2), 30.0);
  EXPECT_EQ(kernels.at(dram_read_bytes, 3), std::nullopt);
}

TEST(StepMerge, ASetWithLostRangesIsDroppedAsAWhole) {
  const Launches reference = {4, 7, 4};
  record::KernelTable kernels = table_of(3);
  const std::vector<CountedLaunches> sets = {{{read_bytes}, reference, {10, 20}}};
  EXPECT_EQ(merge_steps(kernels, reference, sets), (std::vector<MergeCount>{{0, 3, 3}}));
  EXPECT_FALSE(kernels.has(dram_read_bytes));
}

TEST(StepMerge, ValuesBecomeFiguresInBaseUnits) {
  record::KernelTable kernels = table_of(1);
  const std::vector<CountedLaunches> sets = {
      {{"sm__warps_active.avg.pct_of_peak_sustained_active", "sm__cycles_elapsed.avg.per_second",
        "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "lts__t_bytes.sum"},
       {0},
       {62.5, 1.98e9, 90.0, 4096.0}}};
  (void)merge_steps(kernels, Launches{0}, sets);
  EXPECT_DOUBLE_EQ(kernels.at(occupancy, 0).value(), 0.625);
  EXPECT_DOUBLE_EQ(kernels.at(sm_clock_hz, 0).value(), 1.98e9);
  EXPECT_DOUBLE_EQ(kernels.at(sm_busy, 0).value(), 0.9);
  EXPECT_DOUBLE_EQ(kernels.at(l2_bytes, 0).value(), 4096.0);
}

TEST(StepMerge, TimesRatesPeaksAndUnknownMetricsAreLeftOut) {
  record::KernelTable kernels = table_of(1);
  const std::vector<CountedLaunches> sets = {
      {{"gpu__time_duration.sum", "dram__bytes_read.sum.per_second",
        "sm__ops_path_tensor_src_fp64.sum.peak_sustained", "sm__cycles_elapsed.max",
        "sm__ops_path_tensor_op_hgmma_src_fp16.sum", "nonsense"},
       {0},
       {1, 2, 3, 4, 5, 6}}};
  (void)merge_steps(kernels, Launches{0}, sets);
  for (const record::KernelFigure figure : values_of<record::KernelFigure>) {
    EXPECT_FALSE(kernels.has(figure)) << name_of(figure);
  }
}

TEST(StepMerge, Fp8OfBothAccumulatorsAddsUpAcrossSets) {
  record::KernelTable kernels = table_of(2);
  const std::vector<CountedLaunches> sets = {
      {{"sm__ops_path_tensor_src_fp8_dst_fp16.sum"}, {1, 2}, {1000, 5}},
      {{"sm__ops_path_tensor_src_fp8_dst_fp32.sum"}, {1, 2}, {300, nan}}};
  (void)merge_steps(kernels, Launches{1, 2}, sets);
  EXPECT_EQ(kernels.at(tensor_fp8, 0), 1300.0);
  EXPECT_EQ(kernels.at(tensor_fp8, 1), std::nullopt);  // half of it is not known
}

TEST(StepMerge, TheSameTotalOfAnotherUnitIsNotAdded) {
  record::KernelTable kernels = table_of(2);
  const std::vector<CountedLaunches> sets = {
      {{"sm__sass_thread_inst_executed_op_ffma_pred_on.sum", ffma_count},
       {1, 2},
       {64, 64, 32, nan}}};
  (void)merge_steps(kernels, Launches{1, 2}, sets);
  EXPECT_EQ(kernels.at(ffma, 0), 64.0);
  EXPECT_EQ(kernels.at(ffma, 1), 32.0);  // the other one helps out
}

TEST(StepMerge, TheFirstSetWithAValueCounts) {
  record::KernelTable kernels = table_of(2);
  const std::vector<CountedLaunches> sets = {{{read_bytes}, {1, 2}, {10, nan}},
                                             {{read_bytes}, {1, 2}, {11, 21}}};
  (void)merge_steps(kernels, Launches{1, 2}, sets);
  EXPECT_EQ(kernels.at(dram_read_bytes, 0), 10.0);
  EXPECT_EQ(kernels.at(dram_read_bytes, 1), 21.0);
}

TEST(StepMerge, TotalsGoIntoOneRow) {
  record::KernelTable kernels = table_of(2);
  const std::vector<CountedStep> sets = {
      {{read_bytes, "gpu__time_duration.sum"}, {98.8e6, 4e6}},
      {{"sm__ops_path_tensor_src_tf32_dst_fp32.sum"}, {6472859648.0}},
      {{"dram__bytes_write.sum"}, {nan}}};
  merge_totals(kernels, 1, sets);
  EXPECT_EQ(kernels.at(dram_read_bytes, 0), std::nullopt);
  EXPECT_EQ(kernels.at(dram_read_bytes, 1), 98.8e6);
  EXPECT_EQ(kernels.at(tensor_tf32, 1), 6472859648.0);
  EXPECT_FALSE(kernels.has(dram_write_bytes));
  EXPECT_FALSE(kernels.has(time_s));
}

}  // namespace
}  // namespace rooflab::counters
