#include "rooflab/record/kernel_sums.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/counter_metric.hpp"

namespace rooflab::record {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using enum KernelFigure;

using Figures = std::vector<std::pair<KernelFigure, double>>;

void add(KernelTable& table, const std::string& name, const Figures& figures) {
  const std::size_t row = table.add({.name = table.names.intern(name)});
  for (const auto& [figure, value] : figures) table.set(figure, row, value);
}

/// 1 ms, 2000 bytes, 100 fp32 FLOPs on the CUDA cores, `tensor` on the tensor cores.
Figures all_figures(double tensor) {
  return {{time_s, 1e-3},
          {dram_read_bytes, 1500},
          {dram_write_bytes, 500},
          {fadd, 20},
          {fmul, 40},
          {ffma, 20},
          {dadd, 0},
          {dmul, 0},
          {dfma, 0},
          {hadd, 0},
          {hmul, 0},
          {hfma, 0},
          {tensor_tf32, tensor}};
}

TEST(KernelSums, AddUpOverLaunches) {
  KernelTable table;
  add(table, "a", all_figures(900));
  add(table, "b", all_figures(0));
  const KernelSums totals = sums_of(table, true);
  EXPECT_EQ(totals.launches, 2U);
  EXPECT_EQ(totals.at(time_s), 2e-3);
  EXPECT_EQ(totals.at(dram_bytes), 4000.0);
  EXPECT_EQ(totals.at(fp64_flops), 0.0);
  EXPECT_EQ(totals.at(fp32_flops), 200.0);
  EXPECT_EQ(totals.at(fp16_flops), 0.0);
  EXPECT_EQ(totals.at(tensor_flops), 900.0);
  EXPECT_EQ(totals.at(flops), 1100.0);
  EXPECT_EQ(totals.at(KernelFigure::intensity), 1100.0 / 4000.0);
  EXPECT_EQ(totals.tensor_by_type().at(tensor_tf32), 900.0);
  EXPECT_EQ(totals.coverage().at("dram_bytes"), 1.0);
  EXPECT_THAT(totals.not_collected(), IsEmpty());
}

// 1 launch of 1 ms, and a row with the sum of 4: 6 ms, 0.5 ms to 2 ms.
TEST(KernelSums, ARowMaySumUpLaunches) {
  KernelTable table;
  add(table, "one", {{time_s, 1e-3}});
  add(table, "four", {{time_s, 6e-3}});
  table.set_summed(1, {4, 0.5e-3, 2e-3});
  const KernelSums sums = sums_of(table, true);
  EXPECT_EQ(sums.launches, 5U);
  EXPECT_EQ(sums.count(time_s), 5U);
  EXPECT_DOUBLE_EQ(*sums.at(time_s), 7e-3);
  EXPECT_DOUBLE_EQ(*sums.shortest_s, 0.5e-3);
  EXPECT_DOUBLE_EQ(*sums.longest_s, 2e-3);
  KernelTable both;
  both.append(table);
  EXPECT_EQ(both.summed(1)->launches, 4);
  EXPECT_FALSE(both.summed(0));
}

TEST(KernelSums, WithoutTensorCountersNothingPassesForTheWhole) {
  Figures figures = all_figures(0);
  figures.pop_back();
  KernelTable table;
  add(table, "a", figures);
  const KernelSums hopper = sums_of(table, true);
  EXPECT_EQ(hopper.at(tensor_flops), std::nullopt);
  EXPECT_EQ(hopper.at(flops), std::nullopt);
  EXPECT_EQ(hopper.at(KernelFigure::intensity), std::nullopt);
  EXPECT_EQ(hopper.at(collected_flops), 100.0);
  EXPECT_THAT(hopper.not_collected(),
              ElementsAre("tensor_flop", "flop", "intensity_flop_per_byte"));
  EXPECT_EQ(sums_of(table, may_have_tensor_cores({})).at(flops), std::nullopt);
  // Pascal has no tensor cores: the CUDA cores' work is the whole.
  const KernelSums pascal = sums_of(table, false);
  EXPECT_EQ(pascal.at(flops), 100.0);
  EXPECT_THAT(pascal.not_collected(), ElementsAre("tensor_flop"));
}

TEST(KernelSums, APathThatNetworksHardlyUseLeavesALowerBound) {
  KernelTable table;
  add(table, "a", {{time_s, 1e-3}, {fadd, 1}, {fmul, 1}, {ffma, 1}, {tensor_tf32, 6}});
  const KernelSums totals = sums_of(table, true);
  EXPECT_EQ(totals.at(flops), 10.0);
  EXPECT_THAT(totals.not_collected(),
              ElementsAre("dram_bytes", "fp64_flop", "fp16_flop", "intensity_flop_per_byte"));
}

TEST(KernelSums, MovesAreReportedAndNotAdded) {
  Figures figures = all_figures(0);
  figures.emplace_back(hfma, 10);
  KernelTable table;
  add(table, "a", figures);
  const KernelSums totals = sums_of(table, true);
  EXPECT_EQ(totals.at(fp16_flops), 0.0);
  EXPECT_EQ(totals.at(fp16_move_flops), 40.0);
  EXPECT_EQ(totals.at(flops), 100.0);
}

// The intensity is of launches that have both figures: bytes without FLOPs would dilute it.
TEST(KernelSums, LaunchesWithoutAFigureShowInTheCoverage) {
  KernelTable table;
  add(table, "a", all_figures(300));
  add(table, "b", {{time_s, 1e-3}, {dram_read_bytes, 1}, {dram_write_bytes, 1}});
  const KernelSums totals = sums_of(table, true);
  EXPECT_EQ(totals.coverage().at("flop"), 0.5);
  EXPECT_EQ(totals.coverage().at("dram_bytes"), 1.0);
  EXPECT_EQ(totals.at(dram_bytes), 2002.0);
  EXPECT_EQ(totals.at(KernelFigure::intensity), 400.0 / 2000.0);
  EXPECT_EQ(totals.coverage().at("intensity_flop_per_byte"), 0.5);
}

TEST(KernelSums, OfNoKernelsAreUnknown) {
  const KernelSums totals = sums_of(KernelTable(), true);
  EXPECT_EQ(totals.at(time_s), std::nullopt);
  EXPECT_EQ(totals.not_collected().size(), 8U);
}

// A whole sum needs every launch; what is known of some of them is still there.
TEST(KernelSums, WholeOnesNeedEveryLaunch) {
  KernelTable table;
  add(table, "a", all_figures(300));
  add(table, "b", {{time_s, 3e-3}, {occupancy, 0.25}});
  KernelSums sums{.whole_only = true};
  sums.add(table, 0);
  EXPECT_EQ(sums.at(flops), 400.0);
  EXPECT_EQ(sums.at(KernelFigure::intensity), 0.2);  // 400 FLOP over 2000 bytes
  sums.add(table, 1);
  EXPECT_EQ(sums.at(flops), std::nullopt);
  EXPECT_EQ(sums.at(KernelFigure::intensity), std::nullopt);
  EXPECT_EQ(sums.at(KernelFigure::flops_per_s), std::nullopt);
  EXPECT_EQ(sums.at(cuda_core_flops), std::nullopt);
  EXPECT_EQ(sums.known(flops), 400.0);
  EXPECT_EQ(sums.known(ArithmeticPath::tf32_tensor), 300.0);
  EXPECT_EQ(sums.known(ArithmeticPath::fp64_tensor), std::nullopt);
  EXPECT_EQ(sums.at(time_s), 4e-3);
  EXPECT_EQ(sums.shortest_s, 1e-3);
  EXPECT_EQ(sums.longest_s, 3e-3);
}

// FLOP/s are of the launches with both: the time of the others would lower them.
TEST(KernelSums, RatesAreOfLaunchesWithBothFigures) {
  KernelTable table;
  add(table, "a", all_figures(300));
  add(table, "b", {{time_s, 3e-3}});
  const KernelSums sums = sums_of(table, true);
  EXPECT_DOUBLE_EQ(sums.at(KernelFigure::flops_per_s).value(), 400.0 / 1e-3);
  EXPECT_DOUBLE_EQ(sums.at(KernelFigure::bytes_per_s).value(), 2000.0 / 1e-3);
}

// (0.5 * 1 + 0.25 * 3) / 4; the value of one launch alone needs no time.
TEST(KernelSums, MeansAreWeightedByTime) {
  KernelTable table;
  add(table, "a", {{time_s, 1e-3}, {occupancy, 0.5}, {sm_busy, 0.75}});
  add(table, "b", {{time_s, 3e-3}, {occupancy, 0.25}});
  EXPECT_DOUBLE_EQ(sums_of(table, true).at(occupancy).value(), 0.3125);
  EXPECT_EQ(sums_of(table, true).at(sm_busy), 0.75);
  KernelTable step;
  add(step, "(step)", {{sm_clock_hz, 1.5e9}});
  EXPECT_EQ(sums_of(step, true).at(sm_clock_hz), 1.5e9);
}

// Kernels with times only take bytes and tensor work from the step that was counted whole.
TEST(KernelSums, AWholeStepStandsInForWhatNoLaunchHas) {
  KernelTable table;
  add(table, "a", {{time_s, 1e-3}});
  add(table, "b", {{time_s, 1e-3}});
  KernelTable step;
  add(step, "(step)",
      {{time_s, 9.0}, {dram_read_bytes, 4}, {dram_write_bytes, 2}, {tensor_tf32, 8}});
  KernelSums sums = sums_of(table, true);
  sums.stand_in(sums_of(step, true));
  EXPECT_EQ(sums.at(time_s), 2e-3);
  EXPECT_EQ(sums.at(dram_bytes), 6.0);
  EXPECT_EQ(sums.at(tensor_flops), 8.0);
  EXPECT_EQ(sums.at(flops), std::nullopt);
  EXPECT_DOUBLE_EQ(sums.at(KernelFigure::bytes_per_s).value(), 3000.0);  // 6 B in 2 ms
}

TEST(KernelSums, WhatWasCollectedIsALowerBound) {
  KernelTable table;
  // The published metrics alone: fadd, fmul and ffma.
  add(table, "a", {{time_s, 1e-3}, {dram_bytes, 2000}, {fadd, 20}, {fmul, 40}, {ffma, 20}});
  const KernelSums sums = sums_of(table, true);
  EXPECT_EQ(sums.at(flops), std::nullopt);
  EXPECT_TRUE(sums.flop_is_bound());
  EXPECT_THAT(sums.flop_lacks(), ElementsAre("tensor_flop", "fp64_flop", "fp16_flop"));
  EXPECT_EQ(sums.at(collected_flops), 100.0);
  EXPECT_EQ(sums.at(collected_intensity), 0.05);
  EXPECT_DOUBLE_EQ(sums.at(collected_flops_per_s).value(), 1e5);
  // Without tensor cores nothing essential is missing.
  const KernelSums without = sums_of(table, false);
  EXPECT_EQ(without.at(flops), 100.0);
  EXPECT_FALSE(without.flop_is_bound());
  EXPECT_THAT(without.flop_lacks(), ElementsAre("fp64_flop", "fp16_flop"));
}

TEST(KernelSums, OneMissingInstructionLeavesTheOthers) {
  KernelTable table;
  add(table, "a", {{fmul, 40}, {ffma, 20}});
  const KernelSums sums = sums_of(table, false);
  EXPECT_EQ(sums.at(fp32_flops), std::nullopt);
  EXPECT_EQ(sums.at(collected_fp32_flops), 80.0);
  EXPECT_EQ(sums.at(collected_flops), 80.0);
  EXPECT_TRUE(sums.flop_is_bound());
}

TEST(KernelSums, HfmaAloneMayBeMoves) {
  KernelTable table;
  add(table, "a", {{hfma, 20}, {ffma, 1}});
  EXPECT_EQ(sums_of(table, false).at(collected_flops), 2.0);
  KernelTable known;
  add(known, "a", {{hfma, 20}, {hadd, 1}, {ffma, 1}});
  // 4 * 20 + 2 + 2.
  EXPECT_EQ(sums_of(known, false).at(collected_flops), 84.0);
}

TEST(KernelSums, InstructionsOfATypeSayOnlyWhetherThereIsWork) {
  KernelTable none;
  add(none, "a", {{fadd, 1}, {fmul, 0}, {ffma, 0}, {fp16_instructions, 0}, {fp64_instructions, 0}});
  const KernelSums without = sums_of(none, false);
  EXPECT_EQ(without.at(fp16_flops), 0.0);
  EXPECT_EQ(without.at(fp64_flops), 0.0);
  EXPECT_THAT(without.flop_lacks(), IsEmpty());
  KernelTable some;
  add(some, "a", {{fadd, 1}, {fmul, 0}, {ffma, 0}, {fp16_instructions, 9}});
  const KernelSums with = sums_of(some, false);
  EXPECT_EQ(with.at(fp16_flops), std::nullopt);
  EXPECT_EQ(with.at(flops), std::nullopt);
  EXPECT_EQ(with.at(collected_flops), 1.0);
  EXPECT_TRUE(with.flop_is_bound());
}

}  // namespace
}  // namespace rooflab::record
