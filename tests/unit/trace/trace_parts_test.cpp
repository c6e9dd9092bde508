#include "rooflab/trace/trace_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "base/format.hpp"
#include "notes/trace_notes.hpp"
#include "rooflab/trace/trace_analysis.hpp"
#include "trace_record.hpp"

namespace rooflab::trace {
namespace {

constexpr std::int64_t us = 1000;
constexpr std::int64_t length = 1000 * us;

/// Five steps of 1 ms, in each of which a device computes for 800 us.
struct Rank {
  std::string thread = "1/1";
  int device = 0;
  std::int64_t first_number = 1;  ///< its calls count from there
  std::int64_t begin = 0;
  std::string kernel = "k";
};

void add_rank(TraceRecord& trace, const Rank& rank) {
  for (std::int64_t step = 0; step < 5; ++step) {
    const std::int64_t begin = rank.begin + step * length;
    const std::int64_t number = rank.first_number + step;
    trace.annotation(format("ProfilerStep#{}", step), begin, length, 0, rank.thread);
    trace.op("aten::mm", begin + 4 * us, 4 * us, number, rank.thread);
    trace.call(begin + 5 * us, us, number, number, "cudaLaunchKernel", rank.thread);
    trace.kernel(rank.kernel, begin + 20 * us, 800 * us, number, {.device = rank.device});
  }
}

std::vector<TracePart> parts(const std::vector<Rank>& ranks) {
  TraceRecord trace;
  for (const Rank& rank : ranks) add_rank(trace, rank);
  return parts_of(trace.record());
}

/// Each part has five steps of 1 ms with one launch of 800 us of the part's kernel.
void expect_ranks(const std::vector<TracePart>& parts, const std::vector<Rank>& ranks) {
  ASSERT_EQ(parts.size(), ranks.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const TraceAnalysis analysis = analyze_trace(parts[i].record);
    const RoleTimes& mean = analysis.ours.breakdown.mean;
    EXPECT_EQ(analysis.work.steps, 5U);
    EXPECT_DOUBLE_EQ(mean.total_ns, 1000.0 * us);
    EXPECT_DOUBLE_EQ(mean.role_ns[static_cast<std::size_t>(StepRole::kernel)], 800.0 * us);
    EXPECT_DOUBLE_EQ(analysis.work.launches, 1.0);
    ASSERT_EQ(analysis.work.kernels.size(), 1U);
    EXPECT_EQ(analysis.work.kernels[0].name, ranks[i].kernel);
    ASSERT_EQ(analysis.ours.operators.by_name.size(), 1U);
    EXPECT_EQ(analysis.ours.operators.by_name[0].device_total_ns, 5 * 800 * us);
    EXPECT_EQ(parts[i].record.environment.device.index, ranks[i].device);
  }
}

TEST(TraceParts, RanksOfOneCaptureAreRecordsOfTheirOwn) {
  const std::vector<Rank> ranks = {{"1/1", 0, 1, 0, "a"}, {"2/2", 1, 1000, 300 * us, "b"}};
  const std::vector<TracePart> both = parts(ranks);
  expect_ranks(both, ranks);
  EXPECT_EQ(both[0].name, "process 1");
  EXPECT_EQ(both[1].name, "process 2");
  EXPECT_THAT(both[0].record.warnings, testing::ElementsAre(HasValue(says.trace_of_processes, 2)));
  EXPECT_THAT(both[1].record.warnings, testing::IsEmpty());
}

TEST(TraceParts, EightRanksAreEight) {
  std::vector<Rank> ranks;
  for (int i = 0; i < 8; ++i) {
    ranks.push_back({format("{}/{}", i + 1, i + 1), i, 100 * i + 1, 30 * i * us, format("k{}", i)});
  }
  expect_ranks(parts(ranks), ranks);
}

TEST(TraceParts, ProcessesThatCountFromOneEachAreToldApart) {
  const std::vector<Rank> ranks = {{"1/1", 0, 1, 0, "a"}, {"2/2", 1, 1, 3 * us, "b"}};
  expect_ranks(parts(ranks), ranks);
  // The same where each sees its device as number 0, in the order of the file.
  const std::vector<Rank> hidden = {{"1/1", 0, 1, 0, "a"}, {"2/2", 0, 1, 3 * us, "b"}};
  expect_ranks(parts(hidden), hidden);
}

TEST(TraceParts, ThreadsWithStepsOfTheirOwnAreRanks) {
  const std::vector<Rank> ranks = {{"1/1", 0, 1, 0, "a"}, {"1/2", 1, 100, 400 * us, "b"}};
  const std::vector<TracePart> both = parts(ranks);
  expect_ranks(both, ranks);
  EXPECT_EQ(both[1].name, "thread 1:2");
}

TEST(TraceParts, AProcessThatLaunchesNothingIsNoRank) {
  TraceRecord trace;
  add_rank(trace, {});
  for (std::int64_t step = 0; step < 5; ++step) {
    trace.annotation(format("ProfilerStep#{}", step), step * length + 500 * us, length, 0, "9/9");
  }
  const std::vector<TracePart> only = parts_of(trace.record());
  ASSERT_EQ(only.size(), 1U);
  EXPECT_EQ(only[0].name, "");
  const TraceAnalysis analysis = analyze_trace(only[0].record);
  EXPECT_DOUBLE_EQ(analysis.ours.breakdown.mean.total_ns, 1000.0 * us);
  EXPECT_EQ(analysis.ours.steps.of_other_threads, 5);
}

TEST(TraceParts, MessagesAndMemoryGoWithTheirProcess) {
  TraceRecord trace;
  add_rank(trace, {"1/1", 0, 1, 0, "ncclDevKernel_AllReduce_Sum_f32_RING_LL"});
  add_rank(trace, {"2/2", 1, 100, 0, "ncclDevKernel_AllReduce_Sum_f32_RING_LL"});
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    for (std::int64_t step = 0; step < 5; ++step) {
      record::CommunicationEvent message;
      message.collective = format("allreduce of {}", rank);
      message.start_ns = step * length + 20 * us;
      message.duration_ns = 800 * us;
      message.on_device = true;
      trace.trace().communications.push_back(message);
    }
    trace.trace().allocations.push_back(
        {.time_ns = 5, .device = static_cast<std::int32_t>(rank), .bytes = 64});
  }
  trace.trace().allocations.push_back({.time_ns = 6, .device = -1, .bytes = 64});
  const std::vector<TracePart> both = parts_of(trace.record());
  ASSERT_EQ(both.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const record::Trace& part = *both[i].record.trace;
    ASSERT_EQ(part.communications.size(), 5U);
    EXPECT_EQ(part.communications[0].collective, format("allreduce of {}", i));
    ASSERT_EQ(part.allocations.size(), 1U);
    EXPECT_EQ(part.allocations[0].device, static_cast<std::int32_t>(i));
  }
  ASSERT_EQ(both[0].record.lost.size(), 1U);
  EXPECT_EQ(both[0].record.lost[0].what, "changes of memory of which the process is not known");
  EXPECT_THAT(both[1].record.lost, testing::IsEmpty());
}

TEST(TraceParts, OneProcessStaysWhole) {
  const std::vector<TracePart> one = parts({{}});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].name, "");
  EXPECT_THAT(one[0].record.warnings, testing::IsEmpty());
  EXPECT_EQ(parts_of(record::Record()).size(), 1U);
}

// A record that was not parted: steps of two processes are never put into one row.
TEST(TraceParts, StepsOfTwoProcessesAreNotCutByEachOther) {
  TraceRecord trace;
  add_rank(trace, {"1/1", 0, 1, 0, "a"});
  add_rank(trace, {"2/2", 1, 100, 400 * us, "b"});
  const TraceAnalysis analysis = analyze_trace(trace.record());
  EXPECT_EQ(analysis.work.steps, 5U);
  EXPECT_DOUBLE_EQ(analysis.ours.breakdown.mean.total_ns, 1000.0 * us);
  EXPECT_EQ(analysis.ours.steps.of_other_threads, 5);
}

// ---- devices of one process
// ----------------------------------------------------------------------

TEST(TraceParts, OverlapIsThatOfEachDevice) {
  // One device computes while the other communicates: nothing is hidden.
  TraceRecord trace;
  trace.annotation("ProfilerStep#1", 0, 1000);
  for (const std::int64_t number : {1, 2, 3, 4}) trace.call(number, 1, number);
  const std::string reduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
  trace.kernel("gemm", 100, 400, 1, {.device = 0}).kernel(reduce, 500, 400, 2, {.device = 0});
  trace.kernel(reduce, 100, 400, 3, {.device = 1}).kernel("gemm", 500, 400, 4, {.device = 1});
  const TracePanes panes = analyze_trace(trace.record()).ours;
  EXPECT_DOUBLE_EQ(panes.overlap.mean.overlap_ns, 0.0);
  EXPECT_DOUBLE_EQ(panes.overlap.mean.computation_only_ns, 400.0);
  EXPECT_DOUBLE_EQ(panes.overlap.mean.communication_only_ns, 400.0);
  EXPECT_DOUBLE_EQ(panes.overlap.mean.other_ns, 200.0);
  EXPECT_EQ(panes.overlap.mean.hidden_share(), 0.0);
}

TEST(TraceParts, DevicesThatTakeTurnsAreIdleHalfOfTheStep) {
  TraceRecord trace;
  trace.annotation("ProfilerStep#1", 0, 1000);
  for (const std::int64_t number : {1, 2}) trace.call(number, 1, number);
  trace.kernel("a", 0, 500, 1, {.device = 0}).kernel("b", 500, 300, 2, {.device = 1});
  const StepBreakdown breakdown = analyze_trace(trace.record()).ours.breakdown;
  const auto kernel = static_cast<std::size_t>(StepRole::kernel);
  EXPECT_DOUBLE_EQ(breakdown.mean.role_ns[kernel], 400.0);     // of 500 and 300
  EXPECT_DOUBLE_EQ(breakdown.busiest.role_ns[kernel], 500.0);  // the step cannot end before it
  double sum = 0.0;
  for (const double part : breakdown.mean.role_ns) sum += part;
  EXPECT_DOUBLE_EQ(sum, 1000.0);
}

// ---- ranges of one thread
// ------------------------------------------------------------------------

TEST(TraceParts, OfStepsInStepsTheOuterOnesCount) {
  TraceRecord trace;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t begin = step * length;
    trace.annotation(format("ProfilerStep#{}", step), begin, length);
    for (std::int64_t round = 0; round < 2; ++round) {
      const std::int64_t number = 10 * step + round + 1;
      trace.annotation(format("ProfilerStep#{}", round), begin + (100 + 400 * round) * us,
                       300 * us);
      trace.call(begin + (110 + 400 * round) * us, us, number);
      trace.kernel("k", begin + (120 + 400 * round) * us, 200 * us, number);
    }
  }
  const TraceAnalysis analysis = analyze_trace(trace.record());
  EXPECT_EQ(analysis.work.steps, 3U);
  EXPECT_DOUBLE_EQ(analysis.ours.breakdown.mean.total_ns, 1000.0 * us);
  EXPECT_DOUBLE_EQ(analysis.work.launches, 2.0);
  EXPECT_EQ(analysis.ours.steps.nested, 6);
  EXPECT_EQ(analysis.ours.steps.overlapping, 0);
}

TEST(TraceParts, StepsThatOverlapAreCounted) {
  TraceRecord trace;
  for (std::int64_t step = 0; step < 3; ++step) {
    trace.annotation(format("ProfilerStep#{}", step), step * 500 * us, length);
    trace.call(step * 500 * us + 5 * us, us, step + 1);
    trace.kernel("k", step * 500 * us + 10 * us, 100 * us, step + 1);
  }
  const StepWindows steps = analyze_trace(trace.record()).ours.steps;
  EXPECT_EQ(steps.overlapping, 2);
  EXPECT_EQ(steps.nested, 0);
}

TEST(TraceParts, RoundedNeighboursDoNotOverlap) {
  TraceRecord trace;
  for (std::int64_t step = 0; step < 3; ++step) {
    trace.annotation(format("ProfilerStep#{}", step), step * length, length + us);
    trace.call(step * length + 5 * us, us, step + 1);
    trace.kernel("k", step * length + 10 * us, 100 * us, step + 1);
  }
  EXPECT_EQ(analyze_trace(trace.record()).ours.steps.overlapping, 0);
}

}  // namespace
}  // namespace rooflab::trace
