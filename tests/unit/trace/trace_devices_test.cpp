#include <gtest/gtest.h>

#include "rooflab/trace/trace_analysis.hpp"
#include "rooflab/trace/trace_breakdown.hpp"
#include "trace_record.hpp"

namespace rooflab::trace {
namespace {

TEST(TraceDevices, EachFigureHasItsOwnDenominator) {
  TraceRecord trace;
  trace.annotation("ProfilerStep#0", 0, 200, 1);
  // Two streams: 0.75 blocks per SM at 20-60 and 0.5 at 40-80: 0.75, then 1 (of 1.25), then 0.5.
  trace.kernel("a", 20, 40, 0, {.blocks_per_sm = 0.75, .occupancy = 0.5});
  trace.kernel("b", 40, 40, 0, {.blocks_per_sm = 0.5, .occupancy = 0.1});
  trace.kernel("no figures", 100, 20, 0, {});
  trace.kernel("no block", 120, 20, 0, {.blocks_per_sm = 0.0, .occupancy = 0.0});
  trace.kernel("half outside", 190, 20, 0, {.blocks_per_sm = 4.0, .occupancy = 1.0});
  const TraceAnalysis analysis = analyze_trace(trace.record());
  ASSERT_EQ(analysis.plugin.devices.size(), 1U);
  const DeviceUse& use = analysis.plugin.devices[0];
  EXPECT_EQ(use.kernels, 5);
  // 20-80, 100-140, 190-200 of 200
  EXPECT_DOUBLE_EQ(use.utilization.value(), 110.0 / 200.0);
  // 0.75 * 20 + 1 * 20 + 0.5 * 20 + 1 * 10 = 55
  EXPECT_DOUBLE_EQ(use.sm_efficiency.value(), 55.0 / 200.0);
  EXPECT_DOUBLE_EQ(use.sm_efficiency_busy.value(), 55.0 / 70.0);
  // (0.5 * 40 + 0.1 * 40 + 0 * 20 + 1 * 10) / (40 + 40 + 20 + 10)
  EXPECT_DOUBLE_EQ(use.occupancy.value(), 34.0 / 110.0);
  // Ours takes the 0 of a kernel that ran for unknown.
  EXPECT_DOUBLE_EQ(analysis.ours.devices[0].occupancy.value(), 34.0 / 90.0);
}

TEST(TraceDevices, DevicesAreApartAndNamed) {
  TraceRecord trace;
  trace.trace().devices.push_back({.id = 1, .name = "NVIDIA H200"});
  trace.annotation("ProfilerStep#0", 0, 100, 1);
  trace.kernel("a", 0, 50, 0, {.device = 1}).kernel("a", 0, 25, 0, {.device = 0});
  const std::vector<DeviceUse> devices = analyze_trace(trace.record()).ours.devices;
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].device, 0);
  EXPECT_EQ(devices[0].name, "");
  EXPECT_DOUBLE_EQ(devices[0].utilization.value(), 0.25);
  EXPECT_EQ(devices[1].name, "NVIDIA H200");
  EXPECT_DOUBLE_EQ(devices[1].utilization.value(), 0.5);
  EXPECT_FALSE(devices[1].sm_efficiency.has_value());
  EXPECT_FALSE(devices[1].occupancy.has_value());
}

TEST(TraceDevices, KernelsOutsideTheStepsCountForNothing) {
  TraceRecord trace;
  trace.annotation("ProfilerStep#0", 0, 100, 1);
  trace.kernel("a", 500, 50, 0, {.blocks_per_sm = 4.0, .occupancy = 1.0});
  const DeviceUse use = analyze_trace(trace.record()).ours.devices.at(0);
  EXPECT_DOUBLE_EQ(use.utilization.value(), 0.0);
  EXPECT_FALSE(use.sm_efficiency.has_value());
  EXPECT_FALSE(use.occupancy.has_value());
  EXPECT_FALSE(use.tensor_core_share.has_value());
}

TEST(TraceDevices, TensorCoreShareByThePluginIsOfOperatorsKernels) {
  TraceRecord trace;
  trace.annotation("ProfilerStep#0", 0, 200, 1).op("aten::mm", 0, 20, 2);
  trace.call(1, 1, 5, 2).call(3, 1, 6, 2).call(30, 1, 7, 1);
  trace.kernel("ampere_h1688gemm", 10, 30, 5);
  trace.kernel("nvjet_hsh_128x128", 50, 50, 6);
  trace.kernel("launched by the step", 110, 20, 7);
  const TraceAnalysis analysis = analyze_trace(trace.record());
  EXPECT_DOUBLE_EQ(analysis.plugin.devices[0].tensor_core_share.value(), 30.0 / 80.0);
  EXPECT_DOUBLE_EQ(analysis.ours.devices[0].tensor_core_share.value(), 80.0 / 100.0);
}

}  // namespace
}  // namespace rooflab::trace
