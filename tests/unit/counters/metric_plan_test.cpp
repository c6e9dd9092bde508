#include "rooflab/counters/metric_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace rooflab::counters {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Names = std::vector<std::string>;

std::string tensor(const std::string& rest) { return "sm__ops_path_tensor_" + rest + ".sum"; }

std::string core(const std::string& op) {
  return "smsp__sass_thread_inst_executed_op_" + op + "_pred_on.sum";
}

/// A chip with six counters a pass. A metric takes as many as `counters` says; instructions of the
/// CUDA cores take a pass of their own; peaks take nothing; any other name does not exist.
struct FakeChip {
  std::map<std::string, int> counters;
  mutable int questions = 0;

  PassCount passes() const {
    return [this](std::span<const std::string> metrics) -> std::optional<int> {
      ++questions;
      int needed = 0;
      bool cores = false;
      for (const std::string& metric : metrics) {
        if (metric.ends_with(".peak_sustained")) continue;
        if (metric.starts_with("smsp__sass_")) {
          cores = true;
        } else if (const auto found = counters.find(metric); found != counters.end()) {
          needed += found->second;
        } else {
          return std::nullopt;
        }
      }
      const int hardware = (needed + 5) / 6;
      return std::max(hardware + (cores ? 1 : 0), 1);
    };
  }
};

const std::map<std::string, int> state = {
    {"dram__bytes_read.sum", 0},
    {"dram__bytes_write.sum", 0},
    {"dram__cycles_elapsed.avg.per_second", 1},
    {"lts__t_bytes.sum", 0},
    {"sm__cycles_elapsed.avg.per_second", 0},
    {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", 0},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", 1},
};

FakeChip hopper() {
  FakeChip chip{state};
  chip.counters.insert({
      {tensor("src_fp16"), 8},  // two passes: counted in parts
      {tensor("op_hgmma_src_fp16"), 2},
      {tensor("op_hmma_src_fp16_dst_fp32"), 2},
      {tensor("op_hmma_src_fp16_dst_fp16"), 2},
      {tensor("src_bf16_dst_fp32"), 4},
      {tensor("src_tf32_dst_fp32"), 4},
      {tensor("src_fp64"), 2},
      {tensor("src_fp8"), 2},
      {tensor("src_int8"), 8},
      {tensor("op_igmma_src_int8"), 2},
      {tensor("op_imma_src_int8_sparsity_off"), 3},
      {tensor("op_imma_src_int8_sparsity_on"), 3},
      {tensor("src_int1"), 2},
  });
  return chip;
}

TEST(Pack, FillsTheFirstSetThatHasRoom) {
  const FakeChip chip{{{"a", 3}, {"b", 4}, {"c", 2}, {"d", 2}, {"e", 1}}};
  const MetricPlan plan = pack(Names{"a", "b", "c", "d", "e"}, chip.passes());
  // 3 + 2 + 1 and 4 + 2 of six counters.
  EXPECT_THAT(plan.sets, ElementsAre(MetricSet{{"a", "c", "e"}}, MetricSet{{"b", "d"}}));
  EXPECT_THAT(plan.missing, IsEmpty());
}

TEST(Pack, LeavesOutWhatIsUnknownOrTakesTwoPassesAlone) {
  const FakeChip chip{{{"a", 1}, {"wide", 7}, {"b", 1}}};
  const MetricPlan plan = pack(Names{"unknown", "a", "wide", "another", "b"}, chip.passes());
  EXPECT_THAT(plan.sets, ElementsAre(MetricSet{{"a", "b"}}));
  EXPECT_THAT(plan.missing, ElementsAre("unknown", "wide", "another"));
  EXPECT_EQ(pack(Names{}, chip.passes()), MetricPlan{});
}

TEST(PlanTotals, TakesDramAndTensorFloatsFirst) {
  const FakeChip chip = hopper();
  const MetricPlan plan = plan_totals("GH100", chip.passes(), false);
  ASSERT_THAT(plan.sets, SizeIs(5));
  // Counters: 2 + 2 + 2; what takes none finds room too.
  EXPECT_THAT(
      plan.sets[0].metrics,
      ElementsAre("dram__bytes_read.sum", "dram__bytes_write.sum", tensor("op_hgmma_src_fp16"),
                  tensor("op_hmma_src_fp16_dst_fp32"), tensor("op_hmma_src_fp16_dst_fp16"),
                  "lts__t_bytes.sum", "sm__cycles_elapsed.avg.per_second",
                  "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_THAT(plan.sets[1].metrics, ElementsAre(tensor("src_bf16_dst_fp32"), tensor("src_fp64")));
  EXPECT_THAT(plan.sets[2].metrics, ElementsAre(tensor("src_tf32_dst_fp32"), tensor("src_fp8")));
  // 1 + 2 + 3.
  EXPECT_THAT(plan.sets[3].metrics,
              ElementsAre("sm__warps_active.avg.pct_of_peak_sustained_active",
                          tensor("op_igmma_src_int8"), tensor("op_imma_src_int8_sparsity_off")));
  EXPECT_THAT(plan.sets[4].metrics,
              ElementsAre(tensor("op_imma_src_int8_sparsity_on"), tensor("src_int1")));
  EXPECT_THAT(plan.missing, IsEmpty());
  for (const MetricSet& set : plan.sets) EXPECT_FALSE(set.patches_code);
  EXPECT_LT(chip.questions, 60);
}

TEST(PlanTotals, PeaksTakeNoSetOfTheirOwn) {
  const FakeChip chip = hopper();
  const MetricPlan plan = plan_totals("GH100", chip.passes(), true);
  ASSERT_THAT(plan.sets, SizeIs(5));
  const Names& first = plan.sets.front().metrics;
  for (const char* op : {"ffma", "dfma", "hfma"}) {
    EXPECT_THAT(first, Contains("sm__sass_thread_inst_executed_op_" + std::string(op) +
                                "_pred_on.sum.peak_sustained"));
  }
  // Of the whole, not of its parts.
  EXPECT_THAT(first, Contains("sm__ops_path_tensor_src_fp16.sum.peak_sustained"));
  EXPECT_THAT(first, Contains("sm__ops_path_tensor_src_int8.sum.peak_sustained"));
  EXPECT_THAT(first, Contains("dram__bytes.sum.peak_sustained"));
  // The memory's clock is counted: 3 + 2 + 1.
  EXPECT_EQ(plan.sets[4].metrics.back(), "dram__cycles_elapsed.avg.per_second");
}

TEST(PlanTotals, PeaksThatDoNotFitGetASetOfTheirOwn) {
  FakeChip chip{state};
  chip.counters["sm__warps_active.avg.pct_of_peak_sustained_active"] = 6;
  chip.counters.insert({{tensor("src_fp16_dst_fp16"), 0}, {tensor("src_fp16_dst_fp32"), 0}});
  const MetricPlan plan = plan_totals("GV100", chip.passes(), true);
  ASSERT_THAT(plan.sets, SizeIs(2));
  EXPECT_THAT(plan.sets[1].metrics, ElementsAre("dram__cycles_elapsed.avg.per_second"));
}

TEST(PlanTotals, AWholeWithoutOneOfItsPartsIsMissing) {
  FakeChip chip = hopper();
  chip.counters.erase(tensor("op_hmma_src_fp16_dst_fp16"));
  const MetricPlan plan = plan_totals("GH100", chip.passes(), false);
  EXPECT_THAT(plan.missing, ElementsAre(tensor("src_fp16")));
  for (const MetricSet& set : plan.sets) {
    EXPECT_THAT(set.metrics, Not(Contains(tensor("op_hgmma_src_fp16"))));
  }
}

TEST(PlanTotals, AWholeOfOnePassIsNotTakenApart) {
  FakeChip chip = hopper();
  chip.counters[tensor("src_fp16")] = 6;
  const MetricPlan plan = plan_totals("GH100", chip.passes(), false);
  EXPECT_THAT(plan.sets.front().metrics, Contains(tensor("src_fp16")));
  for (const MetricSet& set : plan.sets) {
    EXPECT_THAT(set.metrics, Not(Contains(tensor("op_hgmma_src_fp16"))));
  }
}

TEST(PlanTotals, SaysWhatAChipDoesNotHave) {
  FakeChip chip{state};
  for (const char* type : {"src_fp16_dst_fp16", "src_fp16_dst_fp32", "src_bf16_dst_fp32",
                           "src_tf32_dst_fp32", "src_fp64", "src_int8", "src_int4", "src_int1"}) {
    chip.counters[tensor(type)] = 0;
  }
  // Shares its memory with the CPU.
  const MetricPlan shared = plan_totals("GA10B", chip.passes(), true);
  EXPECT_THAT(shared.missing, ElementsAre("dram__bytes_read.sum", "dram__bytes_write.sum"));
  for (const MetricSet& set : shared.sets) {
    EXPECT_THAT(set.metrics, Not(Contains(testing::StartsWith("dram__"))));
  }
  // No tensor cores: none are wanted.
  const MetricPlan cores = plan_totals("TU116", chip.passes(), false);
  EXPECT_THAT(cores.missing, IsEmpty());
  EXPECT_THAT(cores.sets, ElementsAre(testing::Field(&MetricSet::metrics, SizeIs(6))));
  // A chip of the future may have them by other names.
  EXPECT_THAT(plan_totals("GX100", chip.passes(), false).missing,
              ElementsAre("sm__ops_path_tensor_src_*.sum"));
}

TEST(PlanKernels, CountsCoresFirstAndLeavesOutWhatIsAbsent) {
  using enum record::KernelFigure;
  const FakeChip chip = hopper();
  const std::vector<record::KernelFigure> absent = {tensor_bf16, tensor_tf32, tensor_fp64,
                                                    tensor_fp8,  tensor_int8, tensor_int1};
  const MetricPlan plan = plan_kernels("GH100", chip.passes(), absent);
  ASSERT_THAT(plan.sets, SizeIs(3));
  EXPECT_THAT(plan.sets[0].metrics,
              ElementsAre(core("dadd"), core("dmul"), core("dfma"), core("fadd"), core("fmul"),
                          core("ffma"), core("hadd"), core("hmul"), core("hfma")));
  EXPECT_TRUE(plan.sets[0].patches_code);
  EXPECT_THAT(
      plan.sets[1].metrics,
      ElementsAre("dram__bytes_read.sum", "dram__bytes_write.sum", tensor("op_hgmma_src_fp16"),
                  tensor("op_hmma_src_fp16_dst_fp32"), tensor("op_hmma_src_fp16_dst_fp16"),
                  "lts__t_bytes.sum", "sm__cycles_elapsed.avg.per_second",
                  "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_THAT(plan.sets[2].metrics,
              ElementsAre("sm__warps_active.avg.pct_of_peak_sustained_active"));
  EXPECT_FALSE(plan.sets[1].patches_code);
  EXPECT_FALSE(plan.sets[2].patches_code);
  EXPECT_THAT(plan.missing, IsEmpty());
}

TEST(PlanKernels, AbsentFp16IsAbsentInAllItsParts) {
  const FakeChip chip = hopper();
  const std::vector<record::KernelFigure> absent = {record::KernelFigure::tensor_fp16};
  for (const MetricSet& set : plan_kernels("GH100", chip.passes(), absent).sets) {
    for (const std::string& metric : set.metrics) {
      EXPECT_EQ(metric.find("src_fp16"), std::string::npos) << metric;
    }
  }
}

TEST(PlanKernels, PackedInstructionsExistInDataCentreBlackwellAlone) {
  const FakeChip chip{state};
  const auto first = [&](const char* name) {
    return plan_kernels(name, chip.passes()).sets.front().metrics;
  };
  for (const char* op : {"fadd2", "fmul2", "ffma2"}) {
    EXPECT_THAT(first("GB100"), Contains(core(op)));
    EXPECT_THAT(first("GB202"), Not(Contains(core(op))));
  }
}

}  // namespace
}  // namespace rooflab::counters
