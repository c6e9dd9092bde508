#include "analyze/timeline_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "../record/trace_event_rules.hpp"
#include "networks.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/trace/trace_analysis.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;
using record::Record;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

KnownCalibrations toy() {
  KnownCalibrations known;
  known.add_file(std::string(ROOFLAB_SOURCE_DIR) + "/tests/data/cli/toy_h200.toml",
                 device::Catalog::built_in());
  return known;
}

CaseResult with_timeline(const KnownCalibrations& known, IssuerChoice issuer = {}) {
  return predict_case(scheduled("alexnet"), device_named("h200-sxm"),
                      {.issuer = std::move(issuer), .timeline = true}, known);
}

std::string written(std::span<const CaseResult> cases) {
  std::ostringstream stream;
  timelines_of(cases)(stream);
  return std::move(stream).str();
}

TEST(StepTimeline, IsKeptWhereItIsAskedFor) {
  EXPECT_FALSE(predict_case(scheduled("alexnet"), device_named("h200-sxm"), {}, toy()).timeline);
  EXPECT_FALSE(timelines_of(std::span<const CaseResult>()));
  const std::vector<CaseResult> limits = {case_of("alexnet", "h200-sxm")};
  EXPECT_FALSE(timelines_of(std::span(limits)));
}

// tests/cli/prediction.test works it out by hand: 24 ops of 810 us on the device, 21 nodes of
// 100 us and 6 launches of 2 us for the host, 100 us once a step.
TEST(StepTimeline, BothQueuesAsPredicted) {
  const StepTimeline timeline = *with_timeline(toy()).timeline;
  EXPECT_EQ(timeline.length_ns, 2'212'000);
  EXPECT_TRUE(timeline.has_host);
  EXPECT_FALSE(timeline.host_is_ahead);
  std::int64_t device_ns = 0;
  std::int64_t host_ns = 0;
  std::int64_t kernels = 0;
  std::int64_t issued_ns = std::numeric_limits<std::int64_t>::min();
  for (const TimelineOp& op : timeline.ops) {
    EXPECT_GE(op.issue_start_ns, issued_ns);  // one after the other
    issued_ns = op.issue_end_ns;
    host_ns += op.issue_end_ns - op.issue_start_ns;
    if (op.end_ns == op.start_ns) continue;
    ++kernels;
    device_ns += op.end_ns - op.start_ns;
    EXPECT_GE(op.start_ns, op.issue_end_ns + 4000);  // the latency of a launch
    EXPECT_LE(op.end_ns, timeline.length_ns);
  }
  EXPECT_EQ(kernels, 24);
  EXPECT_EQ(device_ns, 810'000);
  EXPECT_EQ(host_ns, 2'112'000);
  EXPECT_EQ(timeline.names[timeline.ops.front().name], "features.0: conv2d (forward)");
  EXPECT_EQ(timeline.names[timeline.ops.front().kind], "conv2d.forward.fp32.nchw");
  EXPECT_EQ(timeline.ops.front().op_class, OpClass::convolution);
}

// A device that is slower than its host: the first op that would start later sets the host's place.
TEST(StepTimeline, AHostThatIsAheadIsDrawnAsLateAsItMayBe) {
  const StepTimeline timeline =
      *predict_case(scheduled("resnet18", 64), device_named("h200-sxm"), {.timeline = true})
           .timeline;
  ASSERT_TRUE(timeline.has_host);
  EXPECT_TRUE(timeline.host_is_ahead);
  std::int64_t slack = std::numeric_limits<std::int64_t>::max();
  for (const TimelineOp& op : timeline.ops) {
    if (op.end_ns > op.start_ns) slack = std::min(slack, op.start_ns - op.issue_end_ns);
  }
  EXPECT_EQ(slack, 4000);
}

TEST(TimelineRecord, APredictedStepIsATraceOfTheSameFigures) {
  const CaseResult result = with_timeline(toy());
  const trace::TraceAnalysis analysis =
      trace::analyze_trace(timeline_record(*result.timeline, result.device, 0));
  ASSERT_TRUE(analysis.ours.steps.marked);
  ASSERT_EQ(analysis.ours.steps.steps.size(), 1U);
  EXPECT_EQ(analysis.ours.steps.steps[0].window.duration_ns(), 2'212'000);
  EXPECT_EQ(analysis.work.launches, 24.0);
  EXPECT_EQ(analysis.step_tables.kernels.total_ns, 810'000);
  EXPECT_NEAR(analysis.ours.devices.at(0).utilization.value(), 810.0 / 2212.0, 1e-12);
  const auto& rows = analysis.ours.operators.by_name;
  const auto conv =
      std::ranges::find(rows, "features.0: conv2d (forward)", &trace::OperatorRow::name);
  ASSERT_NE(conv, rows.end());
  EXPECT_EQ(conv->device_total_ns, 100'000);
  EXPECT_EQ(conv->host_total_ns, 100'000);
}

TEST(TimelineRecord, SeveralCasesAreSeveralProcesses) {
  const std::vector<CaseResult> cases = {with_timeline(toy()),
                                         with_timeline(toy(), {.name = "none"})};
  const std::string text = written(cases);
  EXPECT_THAT(record::broken_rules(text), IsEmpty());
  EXPECT_THAT(
      record::row_names(text, 1),
      ElementsAre(std::pair(1, "step"), std::pair(2, "host queue"), std::pair(3, "device queue")));
  // Without a host its row is missing, and the device's work says itself whose it is.
  EXPECT_THAT(record::row_names(text, 2),
              ElementsAre(std::pair(1, "step"), std::pair(2, "device queue")));
  std::vector<double> steps;
  for (const record::WrittenEvent& event : record::written_events(text)) {
    if (event.name == "ProfilerStep#0") steps.push_back(event.ts);
  }
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0], steps[1]);  // side by side
  EXPECT_THAT(text, HasSubstr(R"=("cat":"kernel","name":"features.0: conv2d (forward)","pid":2)="));
}

record::LayerTimes layer_times() {
  record::LayerTimes times;
  times.nodes = {{.node = "conv", .op = "conv2d", .forward_s = 30e-6, .backward_s = 50e-6},
                 {.node = "view", .op = "flatten", .forward_s = 0.0, .backward_s = 0.0},
                 {.node = "fc", .op = "linear", .forward_s = 10e-6, .backward_s = 20e-6},
                 {.node = "(loss)", .op = "cross_entropy", .forward_s = 5e-6},
                 {.node = "(optimizer)", .op = "optimizer", .forward_s = 7e-6},
                 {.node = "(other)", .op = "gradient accumulation", .backward_s = 1e-6}};
  times.sum_s = 123e-6;
  times.whole_s = 150e-6;
  return times;
}

TEST(TimelineRecord, LayersAreLaidEndToEnd) {
  const Record record = timeline_record(layer_times(), {.kind = "cuda", .index = 1, .name = "G"});
  std::vector<std::string> kernels;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < record.kernels->size(); ++i) {
    EXPECT_EQ(record.kernels->launch(i).start_ns, end);
    end += std::llround(record.kernels->at(KernelFigure::time_s, i).value() * 1e9);
    kernels.push_back(record.kernels->name(i));
  }
  EXPECT_EQ(end, 123'000);
  EXPECT_THAT(kernels,
              ElementsAre("conv: conv2d (forward)", "fc: linear (forward)",
                          "(loss): cross_entropy (forward)",
                          "(other): gradient accumulation (backward)", "fc: linear (backward)",
                          "conv: conv2d (backward)", "(optimizer): optimizer (optimizer)"));
  const trace::TraceAnalysis analysis = trace::analyze_trace(record);
  EXPECT_EQ(analysis.ours.steps.steps.at(0).window.duration_ns(), 150'000);
  EXPECT_EQ(analysis.step_tables.kernels.total_ns, 123'000);
  EXPECT_NEAR(analysis.ours.devices.at(0).utilization.value(), 123.0 / 150.0, 1e-12);
}

TEST(TimelineRecord, LayersOfACpuAreOpsOfTheHost) {
  const Record record = timeline_record(layer_times(), {.kind = "cpu"});
  EXPECT_TRUE(record.kernels->empty());
  const trace::TraceAnalysis analysis = trace::analyze_trace(record);
  EXPECT_EQ(analysis.ours.breakdown.mean.total_ns, 150'000.0);
  std::int64_t ops_ns = 0;
  for (const trace::OperatorRow& row : analysis.ours.operators.by_name) {
    ops_ns += row.host_total_ns;
  }
  EXPECT_EQ(ops_ns, 123'000);
}

// Where timing each layer costs more than what lies between them, no layer is cut off.
TEST(TimelineRecord, AStepHoldsItsLayers) {
  record::LayerTimes times = layer_times();
  times.whole_s = 100e-6;
  const trace::TraceAnalysis analysis =
      trace::analyze_trace(timeline_record(times, {.kind = "cuda"}));
  EXPECT_EQ(analysis.ours.steps.steps.at(0).window.duration_ns(), 123'000);
  EXPECT_EQ(analysis.step_tables.kernels.total_ns, 123'000);
}

}  // namespace
}  // namespace rooflab::analyze
