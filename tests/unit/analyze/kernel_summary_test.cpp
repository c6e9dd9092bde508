#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/analyze/imported_case.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;
using record::KernelTable;
using testing::ElementsAre;
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

TEST(KernelGroups, AreByNameAndFallingTime) {
  KernelTable table;
  add(table, "small", {{time_s, 1e-6}});
  add(table, "gemm", {{time_s, 2e-6}, {occupancy, 0.5}, {dram_read_bytes, 1}});
  add(table, "gemm", {{time_s, 6e-6}, {occupancy, 0.25}});
  const std::vector<KernelGroup> groups = kernel_groups(table, true);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "gemm");
  EXPECT_EQ(groups[0].sums.launches, 2U);
  EXPECT_DOUBLE_EQ(groups[0].time_s.value(), 8e-6);
  EXPECT_DOUBLE_EQ(groups[0].time_share.value(), 8.0 / 9.0);
  EXPECT_EQ(groups[0].sums.shortest_s, 2e-6);
  EXPECT_EQ(groups[0].sums.longest_s, 6e-6);
  // (0.5 * 2 + 0.25 * 6) / 8
  EXPECT_DOUBLE_EQ(groups[0].sums.at(occupancy).value(), 0.3125);
  EXPECT_EQ(groups[0].sums.at(flops), std::nullopt);
  EXPECT_EQ(groups[0].sums.at(dram_bytes), std::nullopt);
  EXPECT_EQ(groups[0].sums.at(record::KernelFigure::intensity), std::nullopt);
  EXPECT_EQ(groups[1].sums.at(occupancy), std::nullopt);
}

TEST(KernelGroups, ATimeThatWasNotCollectedIsNotZero) {
  KernelTable table;
  add(table, "none", {{dram_read_bytes, 1}});
  add(table, "some", {{time_s, 2e-6}});
  add(table, "some", {{dram_read_bytes, 1}});
  add(table, "all", {{time_s, 1e-6}});
  const std::vector<KernelGroup> groups = kernel_groups(table, true);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].name, "some");
  EXPECT_EQ(groups[0].time_s, 2e-6);
  EXPECT_EQ(groups[0].mean_s(), 2e-6);  // of the launch that has one
  EXPECT_EQ(groups[0].time_share, std::nullopt);
  EXPECT_NEAR(groups[1].time_share.value(), 1.0 / 3.0, 1e-12);
  EXPECT_EQ(groups[2].name, "none");
  EXPECT_EQ(groups[2].time_s, std::nullopt);
  EXPECT_EQ(groups[2].mean_s(), std::nullopt);
  EXPECT_EQ(groups[2].time_share, std::nullopt);
  EXPECT_EQ(groups[2].sums.shortest_s, std::nullopt);
  EXPECT_EQ(groups[2].sums.longest_s, std::nullopt);
}

RooflineSeries series_of(const KernelTable& table, bool tensor_cores) {
  return kernel_series(kernel_groups(table, tensor_cores), record::sums_of(table, tensor_cores),
                       "run.csv");
}

TEST(KernelSeries, HasAPointForEachNameWithWork) {
  KernelTable table;
  add(table, "gemm", all_figures(900));
  add(table, "gemm", all_figures(900));
  add(table, "copy", {{time_s, 2e-3}, {dram_read_bytes, 8}, {dram_write_bytes, 8}});
  const RooflineSeries result = series_of(table, true);
  EXPECT_EQ(result.kind, PointKind::counted);
  EXPECT_EQ(result.name, "run.csv");
  ASSERT_EQ(result.points.size(), 1U);
  const RooflinePoint& point = result.points.front();
  EXPECT_EQ(point.label, "gemm");
  EXPECT_EQ(point.launches, 2);
  EXPECT_EQ(result.network, "run.csv");
  EXPECT_EQ(point.intensity, 0.5);           // 2000 FLOP over 4000 bytes
  EXPECT_DOUBLE_EQ(point.flops_per_s, 1e6);  // 2000 FLOP in 2 ms
  EXPECT_DOUBLE_EQ(point.time_share, 0.5);
  EXPECT_EQ(result.without_flops, 1);
  EXPECT_DOUBLE_EQ(result.without_flops_share.value(), 0.5);
  EXPECT_THAT(result.paths, ElementsAre(ArithmeticPath::fp32_vector, ArithmeticPath::tf32_tensor));
}

// Without tensor counters the points are of the CUDA cores alone, and the chart says so.
TEST(KernelSeries, SaysWhenTensorWorkIsMissing) {
  Figures figures = all_figures(0);
  figures.pop_back();
  KernelTable table;
  add(table, "gemm", figures);
  const RooflineSeries series = series_of(table, true);
  ASSERT_EQ(series.points.size(), 1U);
  EXPECT_EQ(series.points.front().intensity, 100.0 / 2000.0);
  EXPECT_THAT(series.remark, testing::HasSubstr("tensor work was not collected"));
  EXPECT_EQ(series_of(table, false).remark, "");
  EXPECT_EQ(kernel_groups(table, true).front().sums.at(flops), std::nullopt);
  EXPECT_EQ(kernel_groups(table, true).front().sums.at(cuda_core_flops), 100.0);
  EXPECT_EQ(kernel_groups(table, false).front().sums.at(flops), 100.0);
}

TEST(KernelSeries, OfAModelIsOnePointAtWhatWasCollected) {
  KernelTable table;
  add(table, "volta_sgemm_128x32_nn", {{time_s, 1e-3}, {dram_bytes, 100}, {ffma, 100}});
  add(table, "b", {{time_s, 3e-3}, {dram_bytes, 300}, {ffma, 300}});
  const auto groups = kernel_groups(table, true);
  const record::KernelSums totals = record::sums_of(table, true);
  const RooflineSeries whole = kernel_series(groups, totals, "run.out", PointPer::model);
  ASSERT_EQ(whole.points.size(), 1U);
  EXPECT_EQ(whole.points[0].label, "run.out");
  EXPECT_DOUBLE_EQ(whole.points[0].intensity, 2.0);
  EXPECT_DOUBLE_EQ(whole.points[0].flops_per_s, 2e5);
  EXPECT_THAT(whole.remark, testing::HasSubstr("lower bound"));
  EXPECT_EQ(kernel_series(groups, totals, "run.out", PointPer::op_class).points.size(), 2U);
  EXPECT_EQ(kernel_series(groups, totals, "run.out").points.size(), 2U);
}

}  // namespace
}  // namespace rooflab::analyze
