#include <gtest/gtest.h>

#include "rooflab/trace/trace_analysis.hpp"
#include "rooflab/trace/trace_operators.hpp"
#include "trace_record.hpp"

namespace rooflab::trace {
namespace {

TEST(TraceKernels, MeansWeighDuration) {
  TraceRecord trace;
  trace.kernel("short", 0, 10, 0, {.blocks_per_sm = 1.0, .occupancy = 0.25});
  trace.kernel("hmma", 20, 30, 0, {.blocks_per_sm = 1.0, .occupancy = 0.2});
  trace.kernel("hmma", 60, 10, 0, {.blocks_per_sm = 9.0, .occupancy = 1.0});
  trace.kernel("hmma", 80, 40, 0, {});  // without figures
  const TraceKernels kernels = analyze_trace(trace.record()).kernels;
  EXPECT_EQ(kernels.total_ns, 90);
  ASSERT_EQ(kernels.rows.size(), 2U);
  const KernelRow& row = kernels.rows[0];
  EXPECT_EQ(row.name, "hmma");
  EXPECT_EQ(row.calls, 3);
  EXPECT_EQ(row.total_ns, 80);
  EXPECT_EQ(row.min_ns, 10);
  EXPECT_EQ(row.max_ns, 40);
  EXPECT_DOUBLE_EQ(row.mean_s(), 80e-9 / 3.0);
  EXPECT_DOUBLE_EQ(row.share, 80.0 / 90.0);
  EXPECT_DOUBLE_EQ(row.blocks_per_sm.value(), (30.0 + 90.0) / 40.0);
  EXPECT_DOUBLE_EQ(row.plugin_blocks_per_sm, (30.0 + 90.0) / 80.0);
  EXPECT_DOUBLE_EQ(row.occupancy.value(), (6.0 + 10.0) / 40.0);
  EXPECT_DOUBLE_EQ(row.plugin_occupancy, (6.0 + 10.0) / 80.0);
  EXPECT_TRUE(row.tensor_cores);
  EXPECT_FALSE(kernels.rows[1].plugin_tensor_cores);
  EXPECT_DOUBLE_EQ(kernels.tensor_core_share.value(), 80.0 / 90.0);
}

TEST(TraceKernels, NoTimeIsNoShare) {
  TraceRecord trace;
  trace.kernel("empty", 5, 0);
  const TraceKernels kernels = analyze_trace(trace.record()).kernels;
  ASSERT_EQ(kernels.rows.size(), 1U);
  EXPECT_EQ(kernels.rows[0].calls, 1);
  EXPECT_FALSE(kernels.rows[0].occupancy.has_value());
  EXPECT_FALSE(kernels.tensor_core_share.has_value());
}

TEST(TraceKernels, KernelsWithoutAPlaceInTimeAreLeftOut) {
  TraceRecord trace;
  record::Record record = trace.record();
  record::KernelLaunch launch;  // from counters: no start
  launch.name = record.kernels->names.intern("counted");
  record.kernels->set(record::KernelFigure::time_s, record.kernels->add(launch), 1.0);
  EXPECT_TRUE(analyze_trace(record).kernels.rows.empty());
}

}  // namespace
}  // namespace rooflab::trace
