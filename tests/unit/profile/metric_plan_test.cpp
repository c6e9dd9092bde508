#include "profile/metric_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace rooflab::profile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

using Names = std::vector<std::string>;

std::string tensor(const std::string& rest) { return "sm__ops_path_tensor_" + rest + ".sum"; }

std::string core(const std::string& op) {
  return "smsp__sass_thread_inst_executed_op_" + op + "_pred_on.sum";
}

/// A chip that knows every name but a few.
struct FakeChip {
  std::set<std::string> unknown;
  mutable Names questions;  ///< how many names each was about

  MetricsExist exist() const {
    return [this](std::span<const std::string> metrics) {
      questions.push_back(std::to_string(metrics.size()));
      return std::ranges::none_of(metrics,
                                  [&](const std::string& name) { return unknown.contains(name); });
    };
  }
};

// Names as CUPTI 13.0 lists them for GH100.
const Names hopper_totals = {
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "sm__ops_path_tensor_src_fp16.sum",
    "sm__ops_path_tensor_src_bf16_dst_fp32.sum",
    "sm__ops_path_tensor_src_tf32_dst_fp32.sum",
    "sm__ops_path_tensor_src_fp64.sum",
    "sm__ops_path_tensor_src_fp8.sum",
    "lts__t_bytes.sum",
    "sm__cycles_elapsed.avg.per_second",
    "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
};

TEST(TotalsMetrics, AreBytesTensorFloatsAndState) {
  const FakeChip chip;
  const MetricList list = totals_metrics("GH100", chip.exist(), false);
  EXPECT_THAT(list.metrics, ElementsAreArray(hopper_totals));
  EXPECT_THAT(list.missing, IsEmpty());
  EXPECT_THAT(chip.questions, ElementsAre("11"));
}

TEST(TotalsMetrics, HavePeaksOfAllThatIsCounted) {
  const FakeChip chip;
  const MetricList list = totals_metrics("GH100", chip.exist(), true);
  Names peaks(list.metrics.begin() + 11, list.metrics.end());
  EXPECT_THAT(peaks,
              ElementsAre("sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained",
                          "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained",
                          "sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained",
                          "sm__ops_path_tensor_src_fp16.sum.peak_sustained",
                          "sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained",
                          "sm__ops_path_tensor_src_tf32_dst_fp32.sum.peak_sustained",
                          "sm__ops_path_tensor_src_fp64.sum.peak_sustained",
                          "sm__ops_path_tensor_src_fp8.sum.peak_sustained",
                          "dram__bytes.sum.peak_sustained", "dram__cycles_elapsed.avg.per_second"));
}

TEST(TotalsMetrics, NamesAreAskedOneByOneWhereOneDoesNotExist) {
  FakeChip chip;
  chip.unknown = {tensor("src_fp64"), "lts__t_bytes.sum"};
  const MetricList list = totals_metrics("GH100", chip.exist(), false);
  EXPECT_THAT(list.missing, ElementsAre(tensor("src_fp64"), "lts__t_bytes.sum"));
  EXPECT_THAT(list.metrics, SizeIs(9));
  EXPECT_THAT(list.metrics, Not(Contains(tensor("src_fp64"))));
  EXPECT_THAT(list.metrics, Not(Contains("lts__t_bytes.sum")));
  EXPECT_EQ(list.metrics.back(), hopper_totals.back());
  EXPECT_THAT(chip.questions, SizeIs(12));
  EXPECT_EQ(chip.questions.back(), "1");
}

TEST(TotalsMetrics, SayWhatAChipDoesNotHave) {
  const FakeChip chip;
  // Shares its memory with the CPU.
  const MetricList shared = totals_metrics("GA10B", chip.exist(), true);
  EXPECT_THAT(shared.missing, ElementsAre("dram__bytes_read.sum", "dram__bytes_write.sum"));
  EXPECT_THAT(shared.metrics, Not(Contains(StartsWith("dram__"))));
  // No tensor cores: none are wanted.
  const MetricList cores = totals_metrics("TU116", chip.exist(), false);
  EXPECT_THAT(cores.missing, IsEmpty());
  EXPECT_THAT(cores.metrics, SizeIs(6));
  // A chip of the future may have them by other names.
  EXPECT_THAT(totals_metrics("GX100", chip.exist(), false).missing,
              ElementsAre("sm__ops_path_tensor_src_*.sum"));
}

TEST(TotalsMetrics, WhatTheTableKnowsIsMissingStaysWhereNamesAreAsked) {
  FakeChip chip;
  chip.unknown = {"lts__t_bytes.sum"};
  EXPECT_THAT(totals_metrics("GX100", chip.exist(), false).missing,
              ElementsAre("sm__ops_path_tensor_src_*.sum", "lts__t_bytes.sum"));
}

TEST(KernelMetrics, HaveInstructionsOfTheCoresFirst) {
  const FakeChip chip;
  const MetricList list = kernel_metrics("GH100", chip.exist(), {});
  Names expected = {core("dadd"), core("dmul"), core("dfma"), core("fadd"), core("fmul"),
                    core("ffma"), core("hadd"), core("hmul"), core("hfma")};
  expected.insert(expected.end(), hopper_totals.begin(), hopper_totals.end());
  EXPECT_THAT(list.metrics, ElementsAreArray(expected));
  EXPECT_THAT(list.missing, IsEmpty());
  EXPECT_THAT(chip.questions, ElementsAre("20"));
}

TEST(KernelMetrics, LeaveOutWhatIsAbsent) {
  using enum record::KernelFigure;
  const FakeChip chip;
  const std::vector<record::KernelFigure> absent = {tensor_fp16, tensor_fp64, tensor_fp8, fadd};
  const MetricList list = kernel_metrics("GH100", chip.exist(), absent);
  EXPECT_THAT(list.metrics, SizeIs(17));
  EXPECT_THAT(list.metrics, Contains(tensor("src_bf16_dst_fp32")));
  EXPECT_THAT(list.metrics, Contains(tensor("src_tf32_dst_fp32")));
  EXPECT_THAT(list.metrics, Contains(core("fadd")));  // no tensor figure
  // Both accumulators of GB202's fp8.
  const MetricList blackwell = kernel_metrics("GB202", chip.exist(), absent);
  EXPECT_THAT(blackwell.metrics, Not(Contains(HasSubstr("src_fp8"))));
  EXPECT_THAT(blackwell.metrics, Contains(HasSubstr("src_fp4_fp6")));
}

TEST(KernelMetrics, PackedInstructionsExistInDataCentreBlackwellAlone) {
  const FakeChip chip;
  for (const char* op : {"fadd2", "fmul2", "ffma2"}) {
    EXPECT_THAT(kernel_metrics("GB100", chip.exist(), {}).metrics, Contains(core(op)));
    EXPECT_THAT(kernel_metrics("GB202", chip.exist(), {}).metrics, Not(Contains(core(op))));
  }
}

}  // namespace
}  // namespace rooflab::profile
