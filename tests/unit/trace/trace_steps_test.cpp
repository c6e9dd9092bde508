#include <gtest/gtest.h>

#include "rooflab/trace/trace_analysis.hpp"
#include "rooflab/trace/trace_breakdown.hpp"
#include "trace_record.hpp"

namespace rooflab::trace {
namespace {

/// Three steps of 100 ns on the host, whose kernels run late. Step 1's last kernel ends at 250.
TraceRecord three_steps() {
  TraceRecord trace;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t at = 100 * i;
    trace.annotation("ProfilerStep#" + std::to_string(i + 1), at, 100, i + 1);
    trace.call(at + 10, 5, 10 * i + 1, 0).call(at + 20, 5, 10 * i + 2, 0);
  }
  trace.kernel("a", 50, 40, 1).kernel("b", 95, 35, 2);      // step 1 ends at 130
  trace.kernel("a", 140, 60, 11).kernel("b", 200, 50, 12);  // step 2 ends at 250
  trace.kernel("a", 260, 20, 21).kernel("b", 290, 30, 22);  // step 3 ends at 320
  return trace;
}

TEST(TraceSteps, EndsReachToTheLastKernelAndStartsFollowThem) {
  const StepWindows steps = analyze_trace(three_steps().record()).ours.steps;
  ASSERT_EQ(steps.steps.size(), 3U);
  EXPECT_TRUE(steps.marked);
  EXPECT_EQ(steps.dropped, 0);
  EXPECT_EQ(steps.steps[0].name, "1");
  EXPECT_EQ(steps.steps[0].window, (TimeInterval{0, 130}));
  EXPECT_EQ(steps.steps[0].marked, (TimeInterval{0, 100}));
  EXPECT_EQ(steps.steps[0].device_work, 2);
  EXPECT_EQ(steps.steps[1].window, (TimeInterval{130, 250}));
  EXPECT_EQ(steps.steps[2].window, (TimeInterval{250, 320}));
  EXPECT_EQ(steps.span(), (TimeInterval{0, 320}));
}

TEST(TraceSteps, TheFirstStepBeginsAfterEarlierWork) {
  TraceRecord trace = three_steps();
  trace.kernel("before", -20, 50, 99);  // launched in no step; ends at 30, before the first kernel
  trace.kernel("beside", 40, 20, 98);   // ends at 60, after the first kernel's start
  const StepWindows steps = analyze_trace(trace.record()).ours.steps;
  EXPECT_EQ(steps.steps[0].window, (TimeInterval{30, 130}));
}

TEST(TraceSteps, ALastStepWithFewKernelsIsDropped) {
  TraceRecord trace = three_steps();
  trace.annotation("ProfilerStep#4", 300, 100, 4).call(310, 5, 31, 0).kernel("a", 330, 10, 31);
  // 1 < 0.8 * 2
  const StepWindows steps = analyze_trace(trace.record()).ours.steps;
  EXPECT_EQ(steps.steps.size(), 3U);
  EXPECT_EQ(steps.dropped, 1);
  // So is one that has none, and then the one before it is judged.
  trace.annotation("ProfilerStep#5", 400, 100, 5);
  EXPECT_EQ(analyze_trace(trace.record()).ours.steps.dropped, 2);
  // A second kernel makes the fourth step whole: only the empty one goes.
  trace.call(320, 5, 32, 0).kernel("b", 345, 10, 32);
  EXPECT_EQ(analyze_trace(trace.record()).ours.steps.dropped, 1);
}

TEST(TraceSteps, ThePluginTakesTheDevicesRangesForSteps) {
  TraceRecord trace = three_steps();
  trace.device_annotation("ProfilerStep#1", 50, 45, 1);
  trace.device_annotation("ProfilerStep#2", 140, 55, 2);
  trace.device_annotation("ProfilerStep#3", 260, 35, 3);
  const TraceAnalysis analysis = analyze_trace(trace.record());
  EXPECT_EQ(analysis.ours.steps.steps.size(), 3U);
  // Host 1, device 1, host 2, device 2, host 3; device 3 has no launches and is dropped.
  const StepWindows& plugin = analysis.plugin.steps;
  ASSERT_EQ(plugin.steps.size(), 5U);
  EXPECT_EQ(plugin.dropped, 1);
  EXPECT_EQ(plugin.steps[1].name, "1");
  EXPECT_EQ(plugin.steps[1].window, (TimeInterval{130, 130}));
  EXPECT_EQ(plugin.steps[4].window, (TimeInterval{250, 320}));
  EXPECT_EQ(plugin.span(), (TimeInterval{0, 320}));
  // The mean is over five: (130 + 0 + 120 + 0 + 70) / 5.
  EXPECT_DOUBLE_EQ(analysis.plugin.breakdown.mean.total_ns, 64.0);
  EXPECT_DOUBLE_EQ(analysis.ours.breakdown.mean.total_ns, 320.0 / 3.0);
}

TEST(TraceSteps, ByThePluginADevicesRangeTakesTheNextStepsLaunches) {
  TraceRecord trace;
  trace.annotation("ProfilerStep#0", 0, 100, 1).annotation("ProfilerStep#1", 100, 100, 2);
  trace.device_annotation("ProfilerStep#0", 50, 80, 1);  // ends at 130, in step 1
  trace.call(110, 5, 7, 0).call(10, 5, 8, 0).kernel("a", 40, 10, 8).kernel("b", 140, 10, 7);
  const TraceAnalysis analysis = analyze_trace(trace.record());
  EXPECT_EQ(analysis.plugin.steps.steps.at(1).device_work, 1);
  EXPECT_EQ(analysis.plugin.steps.steps.size(), 2U);  // step 1 has none left, and goes
  EXPECT_EQ(analysis.ours.steps.steps.at(1).device_work, 1);
  EXPECT_EQ(analysis.ours.steps.steps[1].window, (TimeInterval{100, 200}));
}

TEST(TraceSteps, LaunchesThroughTheDriverAreOursOnly) {
  TraceRecord trace;
  trace.annotation("ProfilerStep#0", 0, 100, 1).call(10, 5, 7, 0, "cuLaunchKernel");
  trace.kernel("triton", 50, 150, 7);
  const TraceAnalysis analysis = analyze_trace(trace.record());
  EXPECT_EQ(analysis.ours.steps.steps[0].window, (TimeInterval{0, 200}));
  EXPECT_EQ(analysis.plugin.steps.steps[0].window, (TimeInterval{0, 100}));
}

TEST(TraceSteps, CallsOverTheBorderBelongToNoStep) {
  TraceRecord trace;
  trace.annotation("ProfilerStep#0", 0, 100, 1).call(95, 10, 7, 0).call(10, 5, 8, 0);
  trace.kernel("late", 120, 50, 7).kernel("own", 20, 10, 8);
  const StepWindows steps = analyze_trace(trace.record()).ours.steps;
  EXPECT_EQ(steps.steps[0].window, (TimeInterval{0, 100}));
  EXPECT_EQ(steps.steps[0].device_work, 1);
}

TEST(TraceSteps, WithoutStepsOneWindowOverTheHostAndItsKernels) {
  TraceRecord trace;
  trace.op("aten::mm", 10, 50, 1).call(20, 5, 1, 1).kernel("k", 40, 100, 1);
  const TraceAnalysis analysis = analyze_trace(trace.record());
  for (const TracePanes* panes : {&analysis.plugin, &analysis.ours}) {
    ASSERT_EQ(panes->steps.steps.size(), 1U);
    EXPECT_FALSE(panes->steps.marked);
    EXPECT_EQ(panes->steps.steps[0].name, "0");
    EXPECT_EQ(panes->steps.steps[0].window, (TimeInterval{10, 140}));
  }
}

TEST(TraceSteps, KernelsAloneAreAWindowOfOurs) {
  TraceRecord trace;
  trace.kernel("k", 40, 100).kernel("k", 160, 10);
  const TraceAnalysis analysis = analyze_trace(trace.record());
  EXPECT_TRUE(analysis.plugin.steps.steps.empty());
  ASSERT_EQ(analysis.ours.steps.steps.size(), 1U);
  EXPECT_EQ(analysis.ours.steps.steps[0].window, (TimeInterval{40, 170}));
}

TEST(TraceSteps, AnEmptyTraceHasNone) {
  const TraceAnalysis analysis = analyze_trace(TraceRecord().record());
  EXPECT_TRUE(analysis.ours.steps.steps.empty());
  EXPECT_EQ(analysis.ours.steps.span(), TimeInterval());
  EXPECT_TRUE(analysis.ours.devices.empty());
  EXPECT_TRUE(analysis.kernels.rows.empty());
  EXPECT_FALSE(analysis.kernels.tensor_core_share.has_value());
  EXPECT_TRUE(analyze_trace(record::Record()).plugin.operators.by_name.empty());
}

}  // namespace
}  // namespace rooflab::trace
