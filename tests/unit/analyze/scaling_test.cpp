// Runs of which every figure is made up by hand: ranks of 10 ms and so on.

#include "rooflab/analyze/scaling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflab::analyze {
namespace {

using record::RankResult;
using record::ScaleRun;

using Runs = std::vector<ScaleRun>;

constexpr double ms = 1e-3;

RankResult rank_of(int rank, double step_s) {
  RankResult result;
  result.rank = rank;
  result.host = "here";
  result.device = {.kind = "cuda", .index = rank, .name = "Toy"};
  result.steps_s = {step_s, step_s, step_s};
  return result;
}

/// Ranks of these steps, each with a batch of `batch`.
ScaleRun run_of(std::int64_t batch, const std::vector<double>& steps_s) {
  ScaleRun run;
  run.identity.model = "net";
  run.identity.device = "cuda:0";
  run.identity.batch = batch;
  run.identity.phase = Phase::training;
  run.ranks_wanted = static_cast<int>(steps_s.size());
  run.backend = steps_s.size() > 1 ? "nccl" : "";
  for (std::size_t i = 0; i < steps_s.size(); ++i) {
    run.ranks.push_back(rank_of(static_cast<int>(i), steps_s[i]));
  }
  return run;
}

ScaleRun even_run(std::int64_t batch, int ranks, double step_s) {
  return run_of(batch, std::vector<double>(static_cast<std::size_t>(ranks), step_s));
}

// 64 images in 10 ms; 128 in 12.5: 6400 and 10240 images/s.
TEST(Scaling, WeakScalingIsByImages) {
  const Scaling scaling = scaling_of(Runs{even_run(64, 2, 12.5 * ms), even_run(64, 1, 10 * ms)});
  ASSERT_EQ(scaling.series.size(), 1U);
  const ScalingSeries& series = scaling.series[0];
  EXPECT_EQ(series.kind, ScalingKind::weak);
  EXPECT_EQ(series.batch, 64);
  EXPECT_EQ(series.backend, "nccl");
  ASSERT_EQ(series.rows.size(), 2U);
  EXPECT_EQ(series.rows[0].devices, 1);
  EXPECT_NEAR(*series.rows[0].measured->samples_per_s, 6400, 1e-6);
  EXPECT_NEAR(*series.rows[0].measured->speedup, 1.0, 1e-12);
  EXPECT_EQ(series.rows[1].global_batch, 128);
  EXPECT_NEAR(*series.rows[1].measured->samples_per_s, 10240, 1e-6);
  EXPECT_NEAR(*series.rows[1].measured->speedup, 1.6, 1e-12);
  EXPECT_NEAR(*series.rows[1].measured->efficiency, 0.8, 1e-12);
}

// The same 64 images in 10 ms and in 6.25: the ratio of times.
TEST(Scaling, StrongScalingIsByTime) {
  const Scaling scaling = scaling_of(Runs{even_run(64, 1, 10 * ms), even_run(32, 2, 6.25 * ms)});
  ASSERT_EQ(scaling.series.size(), 1U);
  EXPECT_EQ(scaling.series[0].kind, ScalingKind::strong);
  EXPECT_EQ(scaling.series[0].batch, 64);
  EXPECT_NEAR(*scaling.series[0].rows[1].measured->speedup, 1.6, 1e-12);
}

TEST(Scaling, OneDeviceIsInBoth) {
  const Scaling scaling =
      scaling_of(Runs{even_run(64, 1, 10 * ms), even_run(64, 2, 11 * ms), even_run(64, 4, 12 * ms),
                      even_run(32, 2, 6 * ms), even_run(16, 4, 4 * ms)});
  ASSERT_EQ(scaling.series.size(), 2U);
  EXPECT_EQ(scaling.series[0].kind, ScalingKind::weak);
  EXPECT_EQ(scaling.series[0].rows.size(), 3U);
  EXPECT_EQ(scaling.series[1].kind, ScalingKind::strong);
  EXPECT_EQ(scaling.series[1].rows.size(), 3U);
  EXPECT_NEAR(*scaling.series[1].rows[2].measured->speedup, 2.5, 1e-12);
}

// 1 x 64, 2 x 64 and 1 x 32, 2 x 32: 1 x 64 and 2 x 32 have one global batch, by chance.
TEST(Scaling, WeakSeriesOfTwoBatchesMakeNoStrongOne) {
  const Scaling scaling = scaling_of(Runs{even_run(64, 1, 10 * ms), even_run(64, 2, 11 * ms),
                                          even_run(32, 1, 6 * ms), even_run(32, 2, 7 * ms)});
  ASSERT_EQ(scaling.series.size(), 2U);
  EXPECT_EQ(scaling.series[0].kind, ScalingKind::weak);
  EXPECT_EQ(scaling.series[1].kind, ScalingKind::weak);
}

// 64 on one device, 48 on each of two: neither kind. No speed-up, and that is said.
TEST(Scaling, AChangedBatchIsNoSpeedup) {
  const Scaling scaling = scaling_of(Runs{even_run(64, 1, 10 * ms), even_run(48, 2, 8 * ms)});
  ASSERT_EQ(scaling.series.size(), 1U);
  EXPECT_EQ(scaling.series[0].kind, ScalingKind::mixed);
  EXPECT_EQ(scaling.series[0].batch, std::nullopt);
  EXPECT_EQ(scaling.series[0].rows[1].measured->speedup, std::nullopt);
  EXPECT_EQ(scaling.series[0].rows[1].measured->efficiency, std::nullopt);
}

TEST(Scaling, PrecisionsModelsAndKindsOfDeviceAreApart) {
  ScaleRun amp = even_run(64, 2, 5 * ms);
  amp.identity.precision = Precision::amp;
  ScaleRun other = even_run(64, 2, 5 * ms);
  other.identity.model = "other";
  ScaleRun on_cpus = even_run(64, 2, 50 * ms);
  on_cpus.identity.device = "cpu";
  const Scaling scaling = scaling_of(Runs{even_run(64, 1, 10 * ms), amp, other, on_cpus});
  EXPECT_EQ(scaling.series.size(), 4U);
  for (const ScalingSeries& series : scaling.series) EXPECT_EQ(series.rows.size(), 1U);
  EXPECT_EQ(scaling.series[1].rows[0].measured->speedup, std::nullopt);  // nothing of one device
}

// Ranks of 10 and 14 ms: the mean is 12, the slowest 1/6 above.
TEST(Scaling, TheSlowestRankDecides) {
  const Scaling scaling =
      scaling_of(Runs{even_run(64, 1, 10 * ms), run_of(64, {10 * ms, 14 * ms})});
  const ScalingRow& row = scaling.series[0].rows[1];
  EXPECT_NEAR(*row.measured->step_s, 14 * ms, 1e-12);
  EXPECT_NEAR(*row.imbalance, 1.0 / 6.0, 1e-9);
  EXPECT_FALSE(row.ranks[0].slowest);
  EXPECT_TRUE(row.ranks[1].slowest);
}

// With an exchange all ranks wait for one another: the step without it tells who is slow. Rank 0
// takes 12 ms of a mean of 10 and its exchange is hidden; rank 1 waits, and its step is the
// longest.
TEST(Scaling, TheSlowestRankIsTheOneThatTheOthersWaitFor) {
  ScaleRun run = run_of(64, {14 * ms, 14.1 * ms});
  run.ranks[0].alone_s = 12 * ms;
  run.ranks[1].alone_s = 8 * ms;
  run.ranks[0].exchange_s = run.ranks[1].exchange_s = 4 * ms;
  const Scaling scaling = scaling_of(Runs{run});
  const ScalingRow& row = scaling.series[0].rows[0];
  EXPECT_NEAR(*row.measured->step_s, 14.1 * ms, 1e-12);
  EXPECT_NEAR(*row.imbalance, 0.2, 1e-9);
  EXPECT_TRUE(row.ranks[0].slowest);
  EXPECT_FALSE(row.ranks[1].slowest);
  EXPECT_NEAR(*row.measured->exchange.hidden_share, 0.5, 1e-9);  // rank 1: 0
}

// ---- communication

// Of 8 ms in kernels 2 are communication, 1.5 of them while others run, in a step of 10 ms.
TEST(Scaling, CommunicationFromKernels) {
  ScaleRun run = even_run(64, 2, 10 * ms);
  run.ranks[0].kernels = record::RankKernels{.step_s = 10 * ms,
                                             .kernel_s = 8 * ms,
                                             .communication_s = 2 * ms,
                                             .hidden_s = 1.5 * ms,
                                             .busy = 0.9,
                                             .sm_efficiency = 0.7,
                                             .occupancy = 0.4};
  run.ranks[0].exchange_s = 99 * ms;  // kernels are surer
  const ScalingRank rank = scaling_of(Runs{run}).series[0].rows[0].ranks[0];
  EXPECT_NEAR(*rank.communication_kernel_share, 0.25, 1e-12);
  EXPECT_NEAR(*rank.exchange.communication_s, 2 * ms, 1e-12);
  EXPECT_NEAR(*rank.exchange.communication_share, 0.2, 1e-12);
  EXPECT_NEAR(*rank.exchange.hidden_share, 0.75, 1e-12);
  EXPECT_NEAR(*rank.exchange.exposed_share(), 0.05, 1e-12);
  EXPECT_FALSE(rank.exchange.hidden_derived);
  EXPECT_EQ(*rank.busy_share, 0.9);
  EXPECT_EQ(*rank.sm_efficiency, 0.7);
  EXPECT_EQ(*rank.occupancy, 0.4);
}

// 12 ms with, 10 without, 4 by itself: 2 of 4 are exposed.
TEST(Scaling, HiddenShareIsDerivedWithoutKernels) {
  ScaleRun run = even_run(64, 2, 12 * ms);
  for (RankResult& rank : run.ranks) {
    rank.alone_s = 10 * ms;
    rank.exchange_s = 4 * ms;
  }
  const Scaling scaling = scaling_of(Runs{run});
  const ScalingRow& row = scaling.series[0].rows[0];
  const ScalingExchange& exchange = row.measured->exchange;
  EXPECT_NEAR(*exchange.hidden_share, 0.5, 1e-9);
  EXPECT_TRUE(exchange.hidden_derived);
  EXPECT_NEAR(*exchange.communication_share, 1.0 / 3.0, 1e-9);
  EXPECT_NEAR(*exchange.alone_s, 10 * ms, 1e-12);
  EXPECT_NEAR(*exchange.exposed_share(), 1.0 / 6.0, 1e-9);
}

TEST(Scaling, HiddenShareIsHeldBetweenNoneAndAll) {
  ScaleRun run = run_of(64, {20 * ms, 9 * ms});
  for (RankResult& rank : run.ranks) {
    rank.alone_s = 10 * ms;
    rank.exchange_s = 4 * ms;
  }
  const ScalingRow row = scaling_of(Runs{run}).series[0].rows[0];
  EXPECT_EQ(*row.ranks[0].exchange.hidden_share, 0.0);
  EXPECT_EQ(*row.ranks[1].exchange.hidden_share, 1.0);
}

TEST(Scaling, NothingUnknownIsZero) {
  const ScalingRow row = scaling_of(Runs{even_run(64, 2, 10 * ms)}).series[0].rows[0];
  EXPECT_EQ(row.measured->exchange.hidden_share, std::nullopt);
  EXPECT_EQ(row.measured->exchange.communication_share, std::nullopt);
  EXPECT_EQ(row.measured->exchange.exposed_share(), std::nullopt);
  EXPECT_EQ(row.ranks[0].utilization, std::nullopt);
  EXPECT_EQ(row.ranks[0].busy_share, std::nullopt);
  EXPECT_EQ(row.predicted, std::nullopt);
  EXPECT_EQ(row.measured_over_predicted, std::nullopt);
}

TEST(Scaling, UtilizationIsTheMeanOfTheRanksSamples) {
  ScaleRun run = even_run(64, 2, 10 * ms);
  record::SampleSeries series;
  series.device = "cuda:0";
  series.samples = {{.time_s = 0.0, .core_utilization = 0.6},
                    {.time_s = 1.0, .core_utilization = 1.0}};
  run.ranks[0].samples = {series};
  const ScalingRow row = scaling_of(Runs{run}).series[0].rows[0];
  EXPECT_NEAR(*row.ranks[0].utilization, 0.8, 1e-12);
}

// ---- memory

TEST(Scaling, MemoryIsSummedWhereEveryRankTellsIt) {
  ScaleRun run = even_run(64, 2, 10 * ms);
  run.ranks[0].allocated_peak = Bytes(300);
  run.ranks[1].allocated_peak = Bytes(500);
  run.ranks[1].reserved_peak = Bytes(600);
  for (RankResult& rank : run.ranks) {
    record::SampleSeries series;
    series.samples = {{.time_s = 0.0, .memory_used_bytes = 900},
                      {.time_s = 1.0, .memory_used_bytes = 1000}};
    rank.samples = {series};
  }
  const ScalingStep step = *scaling_of(Runs{run}).series[0].rows[0].measured;
  EXPECT_EQ(step.rank_memory.allocated_peak, Bytes(500));
  EXPECT_EQ(step.all_memory.allocated_peak, Bytes(800));
  EXPECT_EQ(step.rank_memory.reserved_peak, Bytes(600));
  EXPECT_EQ(step.all_memory.reserved_peak, std::nullopt);
  EXPECT_EQ(step.all_memory.device_used, Bytes(2000));
}

// Two ranks on one device: what is used there is that of both.
TEST(Scaling, ADeviceThatRanksShareCountsOnce) {
  ScaleRun run = even_run(64, 2, 10 * ms);
  for (RankResult& rank : run.ranks) {
    rank.device.index = 0;
    record::SampleSeries series;
    series.samples = {{.time_s = 0.0, .memory_used_bytes = 1000}};
    rank.samples = {series};
  }
  EXPECT_EQ(scaling_of(Runs{run}).series[0].rows[0].measured->all_memory.device_used, Bytes(1000));
}

// ---- with predictions, and what went wrong

TEST(Scaling, PredictionsStandBeside) {
  RunPrediction one;
  one.step.time = Seconds{8 * ms};
  one.step.samples_per_s = 8000;
  one.basis.link = "nvlink4";
  RunPrediction two = one;
  two.step.devices = 2;
  two.step.time = Seconds{10 * ms};
  two.step.samples_per_s = 12800;
  const Scaling scaling =
      scaling_of(Runs{even_run(64, 2, 11 * ms), even_run(64, 1, 10 * ms)}, {two, one});
  const ScalingRow& row = scaling.series[0].rows[1];
  EXPECT_NEAR(*row.measured_over_predicted, 1.1, 1e-12);
  EXPECT_NEAR(*row.predicted->speedup, 1.6, 1e-12);
  EXPECT_NEAR(*row.predicted->efficiency, 0.8, 1e-12);
  EXPECT_NEAR(*row.step().step_s, 11 * ms, 1e-12);
  EXPECT_EQ(scaling.series[0].basis->link, "nvlink4");
  EXPECT_NEAR(*scaling.series[0].basis->one_device_step_s, 8 * ms, 1e-12);
}

TEST(Scaling, ARunThatFailedHasNoStep) {
  ScaleRun nothing = run_of(64, {});
  nothing.ranks_wanted = 2;
  nothing.status = record::Status::failed;
  const Scaling scaling = scaling_of(Runs{nothing});
  EXPECT_EQ(scaling.series[0].rows[0].measured, std::nullopt);
}

TEST(Scaling, PredictionsAloneAreAgainstOneDeviceThatNeedNotBeAmongThem) {
  predict::DataParallelStep one;
  one.samples_per_s = 100;
  predict::DataParallelStep four;
  four.devices = 4;
  four.time = Seconds{16 * ms};
  four.low = Seconds{12 * ms};
  four.high = Seconds{20 * ms};
  four.samples_per_s = 360;
  ScalingStep step = *predicted_rows(one, std::vector{four}).at(0).predicted;
  EXPECT_NEAR(*step.speedup, 3.6, 1e-12);
  EXPECT_NEAR(*step.efficiency, 0.9, 1e-12);
  EXPECT_EQ(step.exchange.hidden_share, std::nullopt);
  EXPECT_NEAR(*step.step_low_s, 12 * ms, 1e-12);
  EXPECT_NEAR(*step.step_high_s, 20 * ms, 1e-12);
  four.communication = Seconds{4 * ms};
  four.hidden = Seconds{1 * ms};
  four.low = four.high = four.time;  // a model without an interval
  step = *predicted_rows(one, std::vector{four}).at(0).predicted;
  EXPECT_NEAR(*step.exchange.communication_share, 0.25, 1e-12);
  EXPECT_NEAR(*step.exchange.hidden_share, 0.25, 1e-12);
  EXPECT_EQ(step.step_low_s, std::nullopt);
}

}  // namespace
}  // namespace rooflab::analyze
