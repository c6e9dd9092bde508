#include "rooflab/trace/trace_operators.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "rooflab/trace/trace_analysis.hpp"
#include "trace_record.hpp"

namespace rooflab::trace {
namespace {

const OperatorRow* find(const std::vector<OperatorRow>& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &OperatorRow::name);
  return found == rows.end() ? nullptr : &*found;
}

TEST(TraceOperators, SelfIsWithoutWhatItCalled) {
  TraceRecord trace;
  trace.annotation("ProfilerStep#0", 0, 200, 1);
  trace.op("aten::linear", 10, 100, 2).op("aten::t", 15, 5, 3).op("aten::addmm", 30, 60, 4);
  trace.call(40, 20, 7, 4).call(100, 4, 8, 2);
  trace.kernel("gemm", 60, 70, 7).copy(record::CopyKind::memset, 140, 6, 8);
  trace.kernel("of the step", 150, 9, 0, {.external_id = 1});
  const TraceAnalysis analysis = analyze_trace(trace.record());
  const OperatorTable& ours = analysis.ours.operators;
  ASSERT_EQ(ours.by_name.size(), 3U);
  EXPECT_EQ(ours.by_name[0].name, "aten::addmm");  // most device time by itself
  const OperatorRow& linear = *find(ours.by_name, "aten::linear");
  EXPECT_EQ(linear.calls, 1);
  EXPECT_EQ(linear.host_total_ns, 100);
  EXPECT_EQ(linear.host_self_ns, 35);
  EXPECT_EQ(linear.device_total_ns, 76);
  EXPECT_EQ(linear.device_self_ns, 6);
  EXPECT_EQ(find(ours.by_name, "aten::addmm")->host_self_ns, 60);
  EXPECT_EQ(ours.unattributed_ns, 9);
  EXPECT_TRUE(ours.by_arguments.empty());
  // The plugin takes the calls of the runtime away.
  EXPECT_EQ(find(analysis.plugin.operators.by_name, "aten::linear")->host_self_ns, 31);
  EXPECT_EQ(find(analysis.plugin.operators.by_name, "aten::addmm")->host_self_ns, 40);
}

// Two steps of one product each, and one before the first step: ours is of the whole trace, the
// work of the steps leaves that out.
TEST(TraceOperators, WorkOfStepsIsWhatBeganInThem) {
  TraceRecord trace;
  trace.op("aten::mm", 10, 20, 1).call(12, 3, 5, 1).kernel("gemm", 15, 80, 5);
  for (const std::int64_t at : {100, 1100}) {
    trace.annotation(at == 100 ? "ProfilerStep#1" : "ProfilerStep#2", at, 500);
    trace.op("aten::mm", at + 10, 40, at).call(at + 20, 10, at + 1, at);
    trace.kernel("gemm", at + 100, 300, at + 1);
  }
  const TraceAnalysis analysis = analyze_trace(trace.record());
  EXPECT_EQ(find(analysis.ours.operators.by_name, "aten::mm")->calls, 3);
  EXPECT_EQ(analysis.kernels.total_ns, 680);
  EXPECT_EQ(analysis.step_tables.steps, 2U);
  const OperatorRow& product = *find(analysis.step_tables.operators, "aten::mm");
  EXPECT_EQ(product.calls, 2);
  EXPECT_EQ(product.host_total_ns, 80);
  EXPECT_EQ(product.device_self_ns, 600);
  EXPECT_EQ(analysis.step_tables.kernels.total_ns, 600);
  ASSERT_EQ(analysis.step_tables.kernels.rows.size(), 1U);
  EXPECT_EQ(analysis.step_tables.kernels.rows[0].calls, 2);
  ASSERT_EQ(analysis.ours.devices.size(), 1U);
  EXPECT_EQ(analysis.ours.devices[0].kernels, 3);
  EXPECT_EQ(analysis.ours.devices[0].kernels_in_steps, 2);
}

TEST(TraceOperators, WithoutStepsAllIsOne) {
  TraceRecord trace;
  trace.op("aten::mm", 10, 20, 1).call(12, 3, 5, 1).kernel("gemm", 15, 80, 5);
  const StepTables work = analyze_trace(trace.record()).step_tables;
  EXPECT_EQ(work.steps, 1U);
  EXPECT_EQ(work.kernels.total_ns, 80);
  EXPECT_EQ(find(work.operators, "aten::mm")->calls, 1);
}

TEST(TraceOperators, AnOpThatOnlyRepeatsItsNameIsOneCall) {
  TraceRecord trace;
  trace.op("aten::sum", 0, 100, 1).op("aten::sum", 10, 80, 2).op("aten::fill_", 20, 30, 3);
  trace.call(5, 2, 7, 1).call(60, 2, 8, 2);
  trace.kernel("lost", 110, 7, 7).kernel("kept", 120, 11, 8);
  const TraceAnalysis analysis = analyze_trace(trace.record());
  const OperatorRow& ours = *find(analysis.ours.operators.by_name, "aten::sum");
  EXPECT_EQ(ours.calls, 1);
  EXPECT_EQ(ours.host_total_ns, 100);
  EXPECT_EQ(ours.host_self_ns, 70);
  EXPECT_EQ(ours.device_self_ns, 18);
  const OperatorRow& plugin = *find(analysis.plugin.operators.by_name, "aten::sum");
  EXPECT_EQ(plugin.calls, 1);
  EXPECT_EQ(plugin.host_self_ns, 68);  // the outer one's call is lost too
  EXPECT_EQ(plugin.device_self_ns, 11);
  EXPECT_EQ(analysis.plugin.operators.unattributed_ns, 7);
}

TEST(TraceOperators, ThreadsNestApart) {
  TraceRecord trace;
  trace.op("aten::a", 0, 100, 1, "1/1").op("aten::b", 10, 50, 2, "1/2");
  const OperatorTable table = analyze_trace(trace.record()).ours.operators;
  EXPECT_EQ(find(table.by_name, "aten::a")->host_self_ns, 100);
  EXPECT_EQ(table.by_name[0].name, "aten::a");  // by the host's time where no device worked
}

TEST(TraceOperators, RangesThatCrossAreDroppedByThePlugin) {
  TraceRecord trace;
  trace.op("aten::a", 0, 50, 1).op("aten::b", 40, 60, 2);
  const TraceAnalysis analysis = analyze_trace(trace.record());
  EXPECT_EQ(find(analysis.plugin.operators.by_name, "aten::b"), nullptr);
  EXPECT_EQ(find(analysis.ours.operators.by_name, "aten::b")->host_self_ns, 60);
  EXPECT_EQ(find(analysis.ours.operators.by_name, "aten::a")->host_self_ns, 50);
}

TEST(TraceOperators, StepsLoadersAndOptimizersAreNoOperators) {
  TraceRecord trace;
  trace.op("Optimizer.step#SGD.step", 0, 50, 1).op("aten::add_", 10, 10, 2);
  trace.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 60, 10, 3);
  trace.op("DistributedDataParallel.forward", 80, 10, 4);
  const OperatorTable table = analyze_trace(trace.record()).ours.operators;
  ASSERT_EQ(table.by_name.size(), 1U);
  EXPECT_EQ(table.by_name[0].name, "aten::add_");
}

TEST(TraceOperators, ModelledWorkIsOverTheDevicesTime) {
  const std::string_view square = "[[10, 20], [20, 30]]\n[\"float\", \"float\"]";
  const std::string_view unknown = "[[], []]\n[\"\", \"\"]";
  TraceRecord trace;
  trace.op("aten::mm", 0, 10, 1, "1/1", square).call(1, 1, 7, 1).kernel("gemm", 20, 100, 7);
  trace.op("aten::mm", 30, 10, 2, "1/1", square).call(31, 1, 8, 2).kernel("gemm", 120, 300, 8);
  TraceAnalysis analysis = analyze_trace(trace.record());
  EXPECT_TRUE(analysis.has_shapes);
  ASSERT_EQ(analysis.ours.operators.by_arguments.size(), 1U);
  const OperatorRow& row = analysis.ours.operators.by_arguments[0];
  EXPECT_EQ(row.arguments, square);
  EXPECT_DOUBLE_EQ(row.flops.value(), 2 * 2.0 * 10 * 20 * 30);
  EXPECT_DOUBLE_EQ(row.flops_per_s().value(), 24000.0 / 400e-9);
  EXPECT_DOUBLE_EQ(row.bytes.value(), 2 * 4.0 * (200 + 600 + 300));
  EXPECT_DOUBLE_EQ(analysis.ours.operators.flops.value(), 24000.0);
  EXPECT_EQ(analysis.ours.operators.flops_device_ns, 400);

  // One call that does not tell: the sum over the name is not known any more.
  trace.op("aten::mm", 60, 10, 3, "1/1", unknown);
  analysis = analyze_trace(trace.record());
  ASSERT_EQ(analysis.ours.operators.by_arguments.size(), 2U);
  EXPECT_FALSE(find(analysis.ours.operators.by_name, "aten::mm")->flops.has_value());
  EXPECT_FALSE(find(analysis.ours.operators.by_name, "aten::mm")->flops_per_s().has_value());
  EXPECT_DOUBLE_EQ(analysis.ours.operators.by_arguments[0].flops.value(), 24000.0);
}

TEST(TraceOperators, WorkOfNestedOpsCountsOnce) {
  TraceRecord trace;
  trace.op("aten::linear", 0, 50, 1, "1/1",
           "[[10, 20], [30, 20], []]\n[\"float\", \"float\", \"\"]");
  trace.op("aten::mm", 10, 20, 2, "1/1", "[[10, 20], [20, 30]]\n[\"float\", \"float\"]");
  const OperatorTable table = analyze_trace(trace.record()).ours.operators;
  EXPECT_DOUBLE_EQ(find(table.by_name, "aten::linear")->flops.value(), 12000.0);
  EXPECT_DOUBLE_EQ(find(table.by_name, "aten::mm")->flops.value(), 12000.0);
  EXPECT_DOUBLE_EQ(table.flops.value(), 12000.0);
  EXPECT_FALSE(find(table.by_name, "aten::mm")->flops_per_s().has_value());  // no device time
}

TEST(TraceOperators, ACallMayLaunchSeveralKernels) {
  TraceRecord trace;
  trace.op("aten::graph", 0, 10, 1).call(1, 1, 7, 1, "cudaGraphLaunch");
  trace.kernel("a", 20, 5, 7).kernel("b", 25, 6, 7);
  const OperatorTable table = analyze_trace(trace.record()).ours.operators;
  EXPECT_EQ(table.by_name[0].device_self_ns, 11);
}

// Each piece of device work once: the gemm and the bias below the linear with a rule, the copy
// under its own op, the rest under none.
TEST(TraceOperators, ModelledWorkHasTheDeviceTimeOfWhatItCalled) {
  TraceRecord trace;
  trace.op("aten::linear", 0, 100, 1, "1/1", "[[10,20],[30,20]]\n[\"c10::Half\",\"c10::Half\"]");
  trace.op("aten::mm", 10, 40, 2, "1/1", "[[10,20],[20,30]]\n[\"c10::Half\",\"c10::Half\"]");
  trace.op("aten::add_", 60, 30, 3);
  trace.op("aten::copy_", 200, 20, 4);
  trace.call(20, 5, 11, 2).call(70, 5, 12, 3).call(210, 5, 13, 4);
  trace.kernel("gemm", 30, 300, 11).kernel("bias", 400, 100, 12).kernel("copy", 600, 50, 13);
  trace.kernel("mine", 700, 7, 0);
  const auto& rows = analyze_trace(trace.record()).step_tables.modelled_operators;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "aten::linear");
  EXPECT_EQ(rows[0].calls, 1);
  EXPECT_EQ(rows[0].launches, 2);
  EXPECT_EQ(rows[0].device_ns, 400);
  EXPECT_DOUBLE_EQ(rows[0].flops.value(), 2.0 * 10 * 20 * 30);
  EXPECT_DOUBLE_EQ(rows[0].bytes.value(), 2.0 * (10 * 20 + 30 * 20 + 10 * 30));
  EXPECT_EQ(rows[0].types, std::set<DType>{DType::f16});
  EXPECT_EQ(rows[1].name, "aten::copy_");
  EXPECT_FALSE(rows[1].flops.has_value());
  EXPECT_EQ(rows[2].name, "");
  EXPECT_EQ(rows[2].device_ns, 7);
}

}  // namespace
}  // namespace rooflab::trace
