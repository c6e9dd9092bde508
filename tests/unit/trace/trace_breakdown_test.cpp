#include "rooflab/trace/trace_breakdown.hpp"

#include <gtest/gtest.h>

#include "describe/fields.hpp"
#include "rooflab/trace/trace_analysis.hpp"
#include "trace_record.hpp"

namespace rooflab::trace {
namespace {

using Roles = std::array<double, values_of<StepRole>.size()>;

TEST(TraceBreakdown, EachRoleTakesWhatNoEarlierOneHas) {
  TraceRecord trace;
  trace.annotation("ProfilerStep#0", 0, 100, 1);
  trace.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 30, 2);
  trace.op("aten::mm", 20, 60, 3);
  trace.call(40, 20, 5, 3).call(0, 5, 0, 2, "cuCtxSynchronize");
  trace.call(0, 0, 6).call(0, 0, 7);
  trace.copy(record::CopyKind::memcpy, 10, 15, 6);  // 10 to 25
  trace.copy(record::CopyKind::memset, 24, 4, 7);   // 24 to 28, of which 25 to 28 is left
  trace.kernel("gemm", 50, 20, 5);                  // 50 to 70
  trace.kernel("other stream", 60, 15);             // 60 to 75
  trace.kernel("nothing", 90, 0);
  const TraceAnalysis analysis = analyze_trace(trace.record());
  // kernel 50-75; memcpy 10-25; memset 25-28; runtime 40-50 (its 50-60 is under the kernel), ours
  // 0-5 too; data loader 0-10 (5-10) and 28-30; op 30-40, 75-80; other 80-100.
  const RoleTimes& plugin = analysis.plugin.breakdown.steps.at(0).times;
  EXPECT_EQ(plugin.total_ns, 100);
  EXPECT_EQ(plugin.role_ns, (Roles{25, 15, 3, 0, 10, 12, 15, 20}));
  EXPECT_EQ(analysis.ours.breakdown.steps.at(0).times.role_ns,
            (Roles{25, 15, 3, 0, 15, 7, 15, 20}));
  EXPECT_DOUBLE_EQ(analysis.ours.breakdown.mean.role_ns[0], 25.0);
}

TEST(TraceBreakdown, ThePluginsClaimsBeginAnewWhenNothingIsLeft) {
  TraceRecord trace;
  trace.annotation("ProfilerStep#0", 0, 100, 1).op("aten::mm", 10, 30, 2);
  trace.call(10, 5, 5, 2).kernel("everything", 0, 100, 5);
  const TraceAnalysis analysis = analyze_trace(trace.record());
  // Nothing is left after the kernel. Memcpy (none) starts anew; runtime takes 10-15, the op 15-40,
  // and 70 remain.
  EXPECT_EQ(analysis.plugin.breakdown.steps[0].times.role_ns, (Roles{100, 0, 0, 0, 5, 0, 25, 70}));
  EXPECT_EQ(analysis.ours.breakdown.steps[0].times.role_ns, (Roles{100, 0, 0, 0, 0, 0, 0, 0}));
}

/// A step of 100 with a kernel at 10-50 and an all-reduce at 40-80, launched by `op`.
TraceRecord with_collective(std::string_view op) {
  TraceRecord trace;
  trace.annotation("ProfilerStep#0", 0, 100, 1).annotation(op, 5, 3, 2);
  trace.call(1, 1, 5, 0).call(6, 1, 6, 2);
  trace.kernel("gemm", 10, 40, 5);
  trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 40, 40,
               6, {.external_id = 2});
  return trace;
}

TEST(TraceBreakdown, CommunicationOverlapsComputation) {
  const TraceAnalysis analysis = analyze_trace(with_collective("nccl:all_reduce").record());
  const StepOverlap& ours = analysis.ours.overlap.steps.at(0);
  EXPECT_TRUE(analysis.ours.overlap.has_communication);
  EXPECT_EQ(ours.computation_only_ns, 30);
  EXPECT_EQ(ours.overlap_ns, 10);
  EXPECT_EQ(ours.communication_only_ns, 30);
  EXPECT_EQ(ours.other_ns, 30);
  EXPECT_DOUBLE_EQ(ours.communication_share().value_or(0.0), 0.4);  // 40 of 100
  EXPECT_DOUBLE_EQ(ours.hidden_share().value_or(0.0), 0.25);        // 10 of 40
  // The plugin has the host's range 5-8 in it too.
  const StepOverlap& plugin = analysis.plugin.overlap.steps.at(0);
  EXPECT_EQ(plugin.overlap_ns, 10);
  EXPECT_EQ(plugin.communication_only_ns, 33);
  EXPECT_EQ(plugin.other_ns, 27);
  EXPECT_EQ(analysis.plugin.breakdown.steps[0].times.role_ns[3], 33);
  EXPECT_EQ(analysis.ours.breakdown.steps[0].times.role_ns[3], 30);
}

TEST(TraceBreakdown, ResultsAreInSeconds) {
  const Json json = to_json(analyze_trace(with_collective("nccl:all_reduce").record()).ours);
  EXPECT_DOUBLE_EQ(json.at("mean_step").at("total_s").get<double>(), 100e-9);
  EXPECT_DOUBLE_EQ(json.at("mean_step").at("roles_s").at("kernel").get<double>(), 40e-9);
  EXPECT_DOUBLE_EQ(json.at("trace_steps")[0].at("roles_s").at("communication").get<double>(),
                   30e-9);
  EXPECT_DOUBLE_EQ(json.at("overlap").at("hidden_s").get<double>(), 10e-9);
  EXPECT_EQ(json.at("trace_steps")[0].at("start_ns"), 0);  // a moment of the record's clock
  EXPECT_EQ(json.at("devices")[0].at("device"), "cuda:0");
}

TEST(TraceBreakdown, ThePluginDoesNotKnowNcclsOtherNames) {
  const TraceAnalysis analysis = analyze_trace(with_collective("nccl:_all_gather_base").record());
  EXPECT_FALSE(analysis.plugin.overlap.has_communication);
  EXPECT_EQ(analysis.plugin.overlap.steps[0].computation_only_ns, 70);  // the kernel counts as one
  EXPECT_EQ(analysis.ours.overlap.steps[0].communication_only_ns, 30);
}

TEST(TraceBreakdown, WithoutKernelsComputationIsTheHosts) {
  TraceRecord trace;
  trace.annotation("ProfilerStep#0", 0, 100, 1).op("aten::mm", 0, 40, 2);
  trace.annotation("gloo:all_reduce", 30, 40, 3);
  const TraceAnalysis analysis = analyze_trace(trace.record());
  for (const TracePanes* panes : {&analysis.plugin, &analysis.ours}) {
    EXPECT_EQ(panes->overlap.steps[0].computation_only_ns, 30);
    EXPECT_EQ(panes->overlap.steps[0].overlap_ns, 10);
    EXPECT_EQ(panes->overlap.steps[0].communication_only_ns, 30);
    EXPECT_EQ(panes->overlap.steps[0].other_ns, 30);
  }
}

TEST(TraceBreakdown, RolesHaveNames) {
  EXPECT_EQ(name_of(StepRole::kernel), "kernel");
  EXPECT_EQ(name_of(StepRole::data_loader), "data_loader");
  EXPECT_EQ(name_of(StepRole::other), "other");
}

}  // namespace
}  // namespace rooflab::trace
