#include <gtest/gtest.h>

#include "rooflab/trace/trace_analysis.hpp"
#include "trace_record.hpp"

namespace rooflab::trace {
namespace {

constexpr std::string_view floats = "[[100]]\n[\"float\"]";

/// A step of 1000 with computation at 100 and one all-reduce that ends at 900 on this rank's clock.
record::Record rank(std::optional<int> number, std::int64_t clock, std::int64_t computing,
                    std::int64_t reducing, bool second = false) {
  TraceRecord trace;
  trace.trace().rank = number;
  trace.annotation("ProfilerStep#3", clock, 1000, 1);
  trace.op("nccl:all_reduce", clock + 10, 20, 2, "1/1", floats);
  trace.call(clock + 5, 1, 7, 0).call(clock + 15, 1, 8, 2);
  trace.kernel("gemm", clock + 100, computing, 7, {});
  trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", clock + 900 - reducing, reducing, 8,
               {.external_id = 2});
  if (second) {
    trace.call(clock + 16, 1, 9, 2);
    trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", clock + 910, 5, 9, {.external_id = 2});
  }
  return trace.record();
}

TEST(TraceJob, WhoComesFirstWaits) {
  // Rank 1 comes 200 later: its kernel is 100 long, rank 0's 300. Clocks are far apart.
  const std::vector<record::Record> records{rank(1, 5000000, 600, 100), rank(0, 0, 400, 300)};
  const TraceJob job = analyze_job(records);
  ASSERT_EQ(job.ranks.size(), 2U);
  const RankRow& early = job.ranks[0];
  const RankRow& late = job.ranks[1];
  EXPECT_EQ(early.rank, 0);
  EXPECT_EQ(early.record, 1U);
  EXPECT_EQ(early.steps, 1U);
  EXPECT_DOUBLE_EQ(early.step_ns, 1000.0);
  EXPECT_DOUBLE_EQ(early.overlap.computation_only_ns, 400.0);
  EXPECT_DOUBLE_EQ(early.overlap.communication_only_ns, 300.0);
  EXPECT_DOUBLE_EQ(early.overlap.other_ns, 300.0);
  EXPECT_DOUBLE_EQ(early.utilization.value(), 0.7);
  EXPECT_EQ(early.matched_collectives, 1);
  EXPECT_EQ(early.collective_ns, 300);
  EXPECT_EQ(early.wait_ns, 200);
  EXPECT_EQ(late.wait_ns, 0);
  EXPECT_EQ(job.unmatched_collectives, 0);
  EXPECT_DOUBLE_EQ(job.load_imbalance.value(), 600.0 / 500.0 - 1.0);

  // By the plugin the host's range of 20 counts to both: 320 and 120 of communication.
  EXPECT_EQ(job.no_plugin_synchronization, "");
  EXPECT_DOUBLE_EQ(early.plugin_synchronization->transfer_ns, 120.0);
  EXPECT_DOUBLE_EQ(early.plugin_synchronization->wait_ns, 200.0);
  EXPECT_DOUBLE_EQ(late.plugin_synchronization->wait_ns, 0.0);
  ASSERT_EQ(early.plugin_synchronization->ops.size(), 1U);
  const CollectiveOpRow& op = early.plugin_synchronization->ops[0];
  EXPECT_EQ(op.name, "nccl:all_reduce");
  EXPECT_EQ(op.calls, 1);
  EXPECT_DOUBLE_EQ(op.bytes, 400.0);
  EXPECT_EQ(op.latency_ns, 320);
  EXPECT_EQ(op.transfer_ns, 120);
}

TEST(TraceJob, RanksThatDifferAreSaidSo) {
  const std::vector<record::Record> records{rank(0, 0, 400, 300), rank(1, 0, 400, 300, true)};
  const TraceJob job = analyze_job(records);
  EXPECT_EQ(job.no_plugin_synchronization,
            "ranks have different numbers of kernels in a collective");
  EXPECT_FALSE(job.ranks[0].plugin_synchronization.has_value());
  EXPECT_EQ(job.unmatched_collectives, 3);
  EXPECT_EQ(job.ranks[0].matched_collectives, 0);
}

TEST(TraceJob, RanksWithoutANumberGetAFreeOne) {
  const std::vector<record::Record> records{rank(std::nullopt, 0, 1, 1), rank(0, 0, 1, 1),
                                            rank(0, 0, 1, 1)};
  const TraceJob job = analyze_job(records);
  EXPECT_EQ(job.ranks[0].record, 1U);
  EXPECT_EQ(job.ranks[1].rank, 1);
  EXPECT_EQ(job.ranks[1].record, 0U);
  EXPECT_EQ(job.ranks[2].rank, 2);
}

TEST(TraceJob, EmptyJobsAndRecords) {
  EXPECT_TRUE(analyze_job({}).ranks.empty());
  const std::vector<record::Record> records(2);
  const TraceJob job = analyze_job(records);
  EXPECT_EQ(job.ranks.size(), 2U);
  EXPECT_EQ(job.no_plugin_synchronization, "a rank has no collective that the plugin knows");
  EXPECT_FALSE(job.load_imbalance.has_value());
}

}  // namespace
}  // namespace rooflab::trace
