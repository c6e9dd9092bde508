#include "rooflab/analyze/kernel_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflab::analyze {
namespace {

using record::KernelFigure;
using record::KernelTable;
using testing::ElementsAre;
using testing::IsEmpty;
using enum record::KernelFigure;

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

TEST(KernelTotals, AddUpOverLaunches) {
  KernelTable table;
  add(table, "a", all_figures(900));
  add(table, "b", all_figures(0));
  const KernelTotals totals = kernel_totals(table, "9.0");
  EXPECT_EQ(totals.kernels, 2U);
  EXPECT_EQ(totals.time_s, 2e-3);
  EXPECT_EQ(totals.dram_bytes, 4000.0);
  EXPECT_EQ(totals.fp64_flops, 0.0);
  EXPECT_EQ(totals.fp32_flops, 200.0);
  EXPECT_EQ(totals.fp16_flops, 0.0);
  EXPECT_EQ(totals.tensor_flops, 900.0);
  EXPECT_EQ(totals.flops, 1100.0);
  EXPECT_EQ(totals.intensity, 1100.0 / 4000.0);
  EXPECT_EQ(totals.tensor_by_type.at(tensor_tf32), 900.0);
  EXPECT_EQ(totals.coverage.at("dram_bytes"), 1.0);
  EXPECT_THAT(totals.not_collected, IsEmpty());
}

TEST(KernelTotals, WithoutTensorCountersNothingPassesForTheWhole) {
  Figures figures = all_figures(0);
  figures.pop_back();
  KernelTable table;
  add(table, "a", figures);
  const KernelTotals hopper = kernel_totals(table, "9.0");
  EXPECT_EQ(hopper.tensor_flops, std::nullopt);
  EXPECT_EQ(hopper.flops, std::nullopt);
  EXPECT_EQ(hopper.intensity, std::nullopt);
  EXPECT_EQ(hopper.collected_flops, 100.0);
  EXPECT_THAT(hopper.not_collected, ElementsAre("tensor_flops", "flops", "intensity"));
  EXPECT_EQ(kernel_totals(table, std::nullopt).flops, std::nullopt);
  // Pascal has no tensor cores: the CUDA cores' work is the whole.
  const KernelTotals pascal = kernel_totals(table, "6.1");
  EXPECT_EQ(pascal.flops, 100.0);
  EXPECT_THAT(pascal.not_collected, ElementsAre("tensor_flops"));
}

TEST(KernelTotals, APathThatNetworksHardlyUseLeavesALowerBound) {
  KernelTable table;
  add(table, "a", {{time_s, 1e-3}, {fadd, 1}, {fmul, 1}, {ffma, 1}, {tensor_tf32, 6}});
  const KernelTotals totals = kernel_totals(table, "9.0");
  EXPECT_EQ(totals.flops, 10.0);
  EXPECT_THAT(totals.not_collected,
              ElementsAre("dram_bytes", "fp64_flops", "fp16_flops", "intensity"));
}

TEST(KernelTotals, MovesAreReportedAndNotAdded) {
  Figures figures = all_figures(0);
  figures.emplace_back(hfma, 10);
  KernelTable table;
  add(table, "a", figures);
  const KernelTotals totals = kernel_totals(table, "9.0");
  EXPECT_EQ(totals.fp16_flops, 40.0);
  EXPECT_EQ(totals.fp16_move_flops, 40.0);
  EXPECT_EQ(totals.flops, 100.0);
}

// The intensity is of launches that have both figures: bytes without FLOPs would dilute it.
TEST(KernelTotals, LaunchesWithoutAFigureShowInTheCoverage) {
  KernelTable table;
  add(table, "a", all_figures(300));
  add(table, "b", {{time_s, 1e-3}, {dram_read_bytes, 1}, {dram_write_bytes, 1}});
  const KernelTotals totals = kernel_totals(table, "9.0");
  EXPECT_EQ(totals.coverage.at("flops"), 0.5);
  EXPECT_EQ(totals.coverage.at("dram_bytes"), 1.0);
  EXPECT_EQ(totals.dram_bytes, 2002.0);
  EXPECT_EQ(totals.intensity, 400.0 / 2000.0);
  EXPECT_EQ(totals.coverage.at("intensity"), 0.5);
}

TEST(KernelTotals, OfNoKernelsAreUnknown) {
  const KernelTotals totals = kernel_totals(KernelTable(), "9.0");
  EXPECT_EQ(totals.time_s, std::nullopt);
  EXPECT_EQ(totals.not_collected.size(), 8U);
}

TEST(KernelGroups, AreByNameAndFallingTime) {
  KernelTable table;
  add(table, "small", {{time_s, 1e-6}});
  add(table, "gemm", {{time_s, 2e-6}, {occupancy, 0.5}, {dram_read_bytes, 1}});
  add(table, "gemm", {{time_s, 6e-6}, {occupancy, 0.25}});
  const std::vector<KernelGroup> groups = kernel_groups(table, "9.0");
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "gemm");
  EXPECT_EQ(groups[0].launches, 2U);
  EXPECT_DOUBLE_EQ(groups[0].time_s, 8e-6);
  EXPECT_DOUBLE_EQ(groups[0].time_share, 8.0 / 9.0);
  EXPECT_EQ(groups[0].shortest_s, 2e-6);
  EXPECT_EQ(groups[0].longest_s, 6e-6);
  // (0.5 * 2 + 0.25 * 6) / 8
  EXPECT_DOUBLE_EQ(groups[0].occupancy.value(), 0.3125);
  EXPECT_EQ(groups[0].flops, std::nullopt);
  EXPECT_EQ(groups[0].dram_bytes, std::nullopt);
  EXPECT_EQ(groups[0].intensity(), std::nullopt);
  EXPECT_EQ(groups[1].occupancy, std::nullopt);
}

TEST(KernelSeries, HasAPointForEachNameWithWork) {
  KernelTable table;
  add(table, "gemm", all_figures(900));
  add(table, "gemm", all_figures(900));
  add(table, "copy", {{time_s, 2e-3}, {dram_read_bytes, 8}, {dram_write_bytes, 8}});
  const KernelSeries result = kernel_series(table, "9.0", "run.csv");
  EXPECT_EQ(result.series.kind, PointKind::counted);
  EXPECT_EQ(result.series.name, "run.csv");
  ASSERT_EQ(result.series.points.size(), 1U);
  const RooflinePoint& point = result.series.points.front();
  EXPECT_EQ(point.label, "gemm (2 launches)");
  EXPECT_EQ(point.intensity, 0.5);           // 2000 FLOP over 4000 bytes
  EXPECT_DOUBLE_EQ(point.flops_per_s, 1e6);  // 2000 FLOP in 2 ms
  EXPECT_DOUBLE_EQ(point.time_share, 0.5);
  EXPECT_EQ(result.series.without_flops, 1);
  EXPECT_DOUBLE_EQ(result.series.without_flops_share, 0.5);
  EXPECT_THAT(result.paths, ElementsAre(ArithmeticPath::fp32_vector, ArithmeticPath::tf32_tensor));
}

// Without tensor counters the points are of the CUDA cores alone, and the chart says so.
TEST(KernelSeries, SaysWhenTensorWorkIsMissing) {
  Figures figures = all_figures(0);
  figures.pop_back();
  KernelTable table;
  add(table, "gemm", figures);
  const RooflineSeries series = kernel_series(table, "9.0", "run.csv").series;
  ASSERT_EQ(series.points.size(), 1U);
  EXPECT_EQ(series.points.front().intensity, 100.0 / 2000.0);
  EXPECT_THAT(series.remark, testing::HasSubstr("tensor work was not collected"));
  EXPECT_EQ(kernel_series(table, "6.1", "run.csv").series.remark, "");
  EXPECT_EQ(kernel_groups(table, "9.0").front().flops, std::nullopt);
  EXPECT_EQ(kernel_groups(table, "9.0").front().cuda_core_flops(), 100.0);
  EXPECT_EQ(kernel_groups(table, "6.1").front().flops, 100.0);
}

}  // namespace
}  // namespace rooflab::analyze
