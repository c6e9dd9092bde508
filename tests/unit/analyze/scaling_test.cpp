// Runs of which every figure is made up by hand: ranks of 10 ms and so on.

#include "rooflab/analyze/scaling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/analyze/scaled_case.hpp"

namespace rooflab::analyze {
namespace {

using record::RankResult;
using record::ScaleRun;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
TEST(ScalingStudy, WeakScalingIsByImages) {
  const ScalingStudy study = scaling_study({even_run(64, 2, 12.5 * ms), even_run(64, 1, 10 * ms)});
  ASSERT_EQ(study.series.size(), 1U);
  const ScalingSeries& series = study.series[0];
  EXPECT_EQ(series.scaling, Scaling::weak);
  EXPECT_EQ(series.batch, 64);
  EXPECT_EQ(series.backend, "nccl");
  ASSERT_EQ(series.rows.size(), 2U);
  EXPECT_EQ(series.rows[0].gpus, 1);
  EXPECT_NEAR(*series.rows[0].images_per_s, 6400, 1e-6);
  EXPECT_NEAR(*series.rows[0].speedup, 1.0, 1e-12);
  EXPECT_EQ(series.rows[1].global_batch, 128);
  EXPECT_NEAR(*series.rows[1].images_per_s, 10240, 1e-6);
  EXPECT_NEAR(*series.rows[1].speedup, 1.6, 1e-12);
  EXPECT_NEAR(*series.rows[1].efficiency, 0.8, 1e-12);
}

// The same 64 images in 10 ms and in 6.25: the ratio of times.
TEST(ScalingStudy, StrongScalingIsByTime) {
  const ScalingStudy study = scaling_study({even_run(64, 1, 10 * ms), even_run(32, 2, 6.25 * ms)});
  ASSERT_EQ(study.series.size(), 1U);
  EXPECT_EQ(study.series[0].scaling, Scaling::strong);
  EXPECT_EQ(study.series[0].batch, 64);
  EXPECT_NEAR(*study.series[0].rows[1].speedup, 1.6, 1e-12);
}

TEST(ScalingStudy, OneDeviceIsInBoth) {
  const ScalingStudy study =
      scaling_study({even_run(64, 1, 10 * ms), even_run(64, 2, 11 * ms), even_run(64, 4, 12 * ms),
                     even_run(32, 2, 6 * ms), even_run(16, 4, 4 * ms)});
  ASSERT_EQ(study.series.size(), 2U);
  EXPECT_EQ(study.series[0].scaling, Scaling::weak);
  EXPECT_EQ(study.series[0].rows.size(), 3U);
  EXPECT_EQ(study.series[1].scaling, Scaling::strong);
  EXPECT_EQ(study.series[1].rows.size(), 3U);
  EXPECT_NEAR(*study.series[1].rows[2].speedup, 2.5, 1e-12);
}

// 1 x 64, 2 x 64 and 1 x 32, 2 x 32: 1 x 64 and 2 x 32 have one global batch, by chance.
TEST(ScalingStudy, WeakSeriesOfTwoBatchesMakeNoStrongOne) {
  const ScalingStudy study = scaling_study({even_run(64, 1, 10 * ms), even_run(64, 2, 11 * ms),
                                            even_run(32, 1, 6 * ms), even_run(32, 2, 7 * ms)});
  ASSERT_EQ(study.series.size(), 2U);
  EXPECT_EQ(study.series[0].scaling, Scaling::weak);
  EXPECT_EQ(study.series[1].scaling, Scaling::weak);
}

// 64 on one device, 48 on each of two: neither kind. No speed-up, and that is said.
TEST(ScalingStudy, AChangedBatchIsNoSpeedup) {
  const ScalingStudy study = scaling_study({even_run(64, 1, 10 * ms), even_run(48, 2, 8 * ms)});
  ASSERT_EQ(study.series.size(), 1U);
  EXPECT_EQ(study.series[0].scaling, Scaling::mixed);
  EXPECT_EQ(study.series[0].rows[1].speedup, std::nullopt);
  EXPECT_EQ(study.series[0].rows[1].efficiency, std::nullopt);
  EXPECT_THAT(study.series[0].findings, Contains(HasSubstr("(1 x 64, 2 x 48)")));
}

TEST(ScalingStudy, PrecisionsAndModelsAreApart) {
  ScaleRun amp = even_run(64, 2, 5 * ms);
  amp.identity.precision = Precision::amp;
  ScaleRun other = even_run(64, 2, 5 * ms);
  other.identity.model = "other";
  const ScalingStudy study = scaling_study({even_run(64, 1, 10 * ms), amp, other});
  EXPECT_EQ(study.series.size(), 3U);
  for (const ScalingSeries& series : study.series) EXPECT_EQ(series.rows.size(), 1U);
  EXPECT_EQ(study.series[1].rows[0].speedup, std::nullopt);  // nothing of one device
}

// Ranks of 10 and 14 ms: the mean is 12, the slowest 1/6 above; it decides.
TEST(ScalingStudy, TheSlowestRankDecides) {
  const ScalingStudy study =
      scaling_study({even_run(64, 1, 10 * ms), run_of(64, {10 * ms, 14 * ms})});
  const ScalingRow& row = study.series[0].rows[1];
  EXPECT_NEAR(*row.step_s, 14 * ms, 1e-12);
  EXPECT_NEAR(*row.imbalance, 1.0 / 6.0, 1e-9);
  EXPECT_FALSE(row.ranks[0].slowest);
  EXPECT_TRUE(row.ranks[1].slowest);
  EXPECT_THAT(study.series[0].findings, Contains(HasSubstr("rank 1 is the slowest, 17 % above")));
}

// With an exchange all ranks wait for one another: the step without it tells who is slow.
TEST(ScalingStudy, ImbalanceIsOfTheRanksOwnTime) {
  ScaleRun run = run_of(64, {14 * ms, 14.1 * ms});
  run.ranks[0].alone_s = 12 * ms;
  run.ranks[1].alone_s = 8 * ms;
  const ScalingStudy study = scaling_study({run});
  EXPECT_NEAR(*study.series[0].rows[0].imbalance, 0.2, 1e-9);
  EXPECT_THAT(study.series[0].findings, Contains(HasSubstr("rank 0 is the slowest, 20 % above")));
}

// ---- communication

// Of 8 ms in kernels 2 are communication, 1.5 of them beside others, in a step of 10 ms.
TEST(ScalingStudy, CommunicationFromKernels) {
  ScaleRun run = even_run(64, 2, 10 * ms);
  run.ranks[0].kernels = record::RankKernels{.step_s = 10 * ms,
                                             .kernel_s = 8 * ms,
                                             .communication_s = 2 * ms,
                                             .hidden_s = 1.5 * ms,
                                             .busy = 0.9,
                                             .sm_efficiency = 0.7,
                                             .occupancy = 0.4};
  run.ranks[0].exchange_s = 99 * ms;  // kernels are surer
  const ScalingRank rank = scaling_study({run}).series[0].rows[0].ranks[0];
  EXPECT_NEAR(*rank.communication_of_kernels, 0.25, 1e-12);
  EXPECT_NEAR(*rank.communication_of_step, 0.2, 1e-12);
  EXPECT_NEAR(*rank.hidden, 0.75, 1e-12);
  EXPECT_FALSE(rank.hidden_derived);
  EXPECT_EQ(*rank.busy, 0.9);
  EXPECT_EQ(*rank.sm_efficiency, 0.7);
  EXPECT_EQ(*rank.occupancy, 0.4);
}

// 12 ms with, 10 without, 4 by itself: 2 of 4 are exposed.
TEST(ScalingStudy, HiddenShareIsDerivedWithoutKernels) {
  ScaleRun run = even_run(64, 2, 12 * ms);
  for (RankResult& rank : run.ranks) {
    rank.alone_s = 10 * ms;
    rank.exchange_s = 4 * ms;
  }
  const ScalingStudy study = scaling_study({run});
  const ScalingRow& row = study.series[0].rows[0];
  EXPECT_NEAR(*row.hidden, 0.5, 1e-9);
  EXPECT_TRUE(row.hidden_derived);
  EXPECT_NEAR(*row.communication_of_step, 1.0 / 3.0, 1e-9);
  EXPECT_NEAR(*row.ranks[0].exposed_s, 2 * ms, 1e-9);
  EXPECT_THAT(study.series[0].findings, Contains(HasSubstr("exposed communication is 17 %")));
}

TEST(ScalingStudy, HiddenShareIsHeldBetweenNoneAndAll) {
  ScaleRun run = run_of(64, {20 * ms, 9 * ms});
  for (RankResult& rank : run.ranks) {
    rank.alone_s = 10 * ms;
    rank.exchange_s = 4 * ms;
  }
  const ScalingRow row = scaling_study({run}).series[0].rows[0];
  EXPECT_EQ(*row.ranks[0].hidden, 0.0);
  EXPECT_EQ(*row.ranks[1].hidden, 1.0);
}

TEST(ScalingStudy, NothingUnknownIsZero) {
  const ScalingRow row = scaling_study({even_run(64, 2, 10 * ms)}).series[0].rows[0];
  EXPECT_EQ(row.hidden, std::nullopt);
  EXPECT_EQ(row.communication_of_step, std::nullopt);
  EXPECT_EQ(row.ranks[0].utilization, std::nullopt);
  EXPECT_EQ(row.ranks[0].busy, std::nullopt);
  EXPECT_EQ(row.predicted_ratio, std::nullopt);
}

TEST(ScalingStudy, UtilizationIsTheMeanOfTheRanksSamples) {
  ScaleRun run = even_run(64, 2, 10 * ms);
  record::SampleSeries series;
  series.device = "cuda:0";
  series.samples = {{.time_s = 0.0, .core_utilization = 0.6},
                    {.time_s = 1.0, .core_utilization = 1.0}};
  run.ranks[0].samples = {series};
  const ScalingRow row = scaling_study({run}).series[0].rows[0];
  EXPECT_NEAR(*row.ranks[0].utilization, 0.8, 1e-12);
}

// ---- beside predictions, and what went wrong

TEST(ScalingStudy, PredictionsStandBeside) {
  predict::ScaledStep one;
  one.time = Seconds{8 * ms};
  one.images_per_s = 8000;
  predict::ScaledStep two;
  two.time = Seconds{10 * ms};
  two.images_per_s = 12800;
  const ScalingStudy study =
      scaling_study({even_run(64, 2, 11 * ms), even_run(64, 1, 10 * ms)}, {two, one});
  const ScalingRow& row = study.series[0].rows[1];
  EXPECT_NEAR(*row.predicted_ratio, 1.1, 1e-12);
  EXPECT_NEAR(*row.predicted_speedup, 1.6, 1e-12);
}

TEST(ScalingStudy, AHostThatIsBehindIsSaid) {
  ScaleRun run = even_run(64, 2, 10 * ms);
  for (RankResult& rank : run.ranks) {
    rank.kernels = record::RankKernels{.step_s = 10 * ms, .kernel_s = 6 * ms, .busy = 0.55};
  }
  EXPECT_THAT(scaling_study({run}).series[0].findings, Contains(HasSubstr("55 % of the time")));
}

TEST(ScalingStudy, ARunThatEndedEarlyIsSaid) {
  ScaleRun run = even_run(64, 2, 10 * ms);
  run.status = record::Status::crashed;
  run.message = "rank 1 was killed by signal 9";
  EXPECT_THAT(scaling_study({run}).series[0].findings,
              Contains(HasSubstr("(crashed): rank 1 was killed by signal 9")));
  ScaleRun nothing = run_of(64, {});
  nothing.ranks_wanted = 2;
  nothing.status = record::Status::failed;
  const ScalingStudy study = scaling_study({nothing});
  EXPECT_EQ(study.series[0].rows[0].step_s, std::nullopt);
  EXPECT_THAT(study.series[0].findings, Not(IsEmpty()));
}

TEST(ScaledCase, SpeedupIsOfImages) {
  ScaledCase scaled;
  scaled.one.images_per_s = 100;
  predict::ScaledStep four;
  four.gpus = 4;
  four.images_per_s = 360;
  EXPECT_NEAR(scaled.speedup(four), 3.6, 1e-12);
  EXPECT_NEAR(scaled.efficiency(four), 0.9, 1e-12);
  EXPECT_EQ(ScaledCase::hidden_share(four), std::nullopt);
  four.communication = Seconds{4 * ms};
  four.hidden = Seconds{1 * ms};
  EXPECT_NEAR(*ScaledCase::hidden_share(four), 0.25, 1e-12);
}

}  // namespace
}  // namespace rooflab::analyze
