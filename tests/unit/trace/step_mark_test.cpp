#include "trace/step_mark.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "record/trace_source.hpp"
#include "rooflab/record/kernel_table.hpp"
#include "rooflab/trace/trace_analysis.hpp"
#include "trace_record.hpp"

namespace rooflab::trace {
namespace {

/// The names that mark steps, of a trace of Nsight Systems with these ranges.
std::vector<std::string> marks(const std::vector<std::string>& names) {
  record::Trace trace;
  trace.profiler = record::name_of(record::TraceSource::nsight_systems);
  for (const std::string& name : names) trace.ranges.names.intern(name);
  const StepMark mark = step_mark_of(trace);
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (mark.is_step[i]) steps.push_back(names[i]);
  }
  return steps;
}

using Names = std::vector<std::string>;

TEST(StepMark, TheFirstWordOfTheListThatATraceHasMarksItsSteps) {
  EXPECT_EQ(marks({"batch 0", "step 0", "step 1", "forward"}), (Names{"step 0", "step 1"}));
  EXPECT_EQ(marks({"batch[0]", "batch[1]", "epoch 0"}), (Names{"batch[0]", "batch[1]"}));
  EXPECT_EQ(marks({"Train-Step: 12", "TRAIN STEP", "train_step"}),
            (Names{"Train-Step: 12", "TRAIN STEP", "train_step"}));
  EXPECT_EQ(marks({"ProfilerStep#3", "step 3"}), Names{"ProfilerStep#3"});
  EXPECT_EQ(marks({"stepping", "footstep 3", "epoch 1", "cudaLaunchKernel", "3", ""}), Names{});
}

TEST(StepMark, ANumberIsTheStepsName) {
  EXPECT_EQ(step_number_of("ProfilerStep#12"), "12");
  EXPECT_EQ(step_number_of("step 3"), "3");
  EXPECT_EQ(step_number_of("batch[7]"), "7");
  EXPECT_EQ(step_number_of("train_step"), "");
}

// Annotations of PyTorch's users are their own affair.
TEST(StepMark, InATraceOfPyTorchOnlyTheProfilerMarksSteps) {
  record::Trace trace;
  trace.profiler = "PyTorch profiler (kineto)";
  trace.ranges.names.intern("step 3");
  trace.ranges.names.intern("ProfilerStep#3");
  EXPECT_EQ(step_mark_of(trace).is_step, (std::vector<bool>{false, true}));
}

/// Set-up of 1000 ns, then one kernel of 30 ns 10 ns after its call, and one of 20 ns.
TraceRecord nsight_trace() {
  TraceRecord trace;
  trace.call(0, 1000, 0, 0).call(1000, 5, 1, 0).call(1010, 5, 2, 0);
  trace.kernel("a", 1010, 30, 1).kernel("b", 1060, 20, 2);
  return trace;
}

record::Record by_nsight(const TraceRecord& trace) {
  record::Record record = trace.record();
  record.trace->profiler = record::name_of(record::TraceSource::nsight_systems);
  return record;
}

TEST(StepMark, WithoutStepsATraceOfNsightBeginsWithTheDevice) {
  const TracePanes panes = analyze_trace(by_nsight(nsight_trace())).ours;
  EXPECT_FALSE(panes.steps.marked);
  EXPECT_EQ(panes.steps.span(), (TimeInterval{1010, 1080}));
  const auto& roles = panes.breakdown.mean.role_ns;
  EXPECT_EQ(roles[static_cast<std::size_t>(StepRole::kernel)], 50.0);
  EXPECT_EQ(panes.breakdown.mean.total_ns, 70.0);
}

TEST(StepMark, RangesOfNsightAreNoOps) {
  TraceRecord trace = nsight_trace();
  trace.annotation("train_step", 1000, 100, 0).annotation("forward", 1000, 90, 0);
  const TracePanes panes = analyze_trace(by_nsight(trace)).ours;
  ASSERT_TRUE(panes.steps.marked);
  ASSERT_EQ(panes.steps.steps.size(), 1U);
  EXPECT_EQ(panes.steps.steps[0].name, "0");
  EXPECT_EQ(panes.steps.steps[0].device_work, 2);
  const auto& roles = panes.breakdown.mean.role_ns;
  EXPECT_EQ(roles[static_cast<std::size_t>(StepRole::cpu_op)], 0.0);
  EXPECT_EQ(roles[static_cast<std::size_t>(StepRole::runtime)], 5.0);  // 1000 to 1005
  EXPECT_EQ(roles[static_cast<std::size_t>(StepRole::other)], 45.0);
}

}  // namespace
}  // namespace rooflab::trace
