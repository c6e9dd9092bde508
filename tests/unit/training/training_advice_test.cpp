#include "rooflab/training/training_advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "training_runs.hpp"

namespace rooflab::training {
namespace {

using record::TrainingRun;
using testing::HasSubstr;
using Changes = std::vector<RequestChange>;

/// A run on a large GPU that nothing holds up: amp, channels-last, batch 256, always in use.
TrainingRun good_run() {
  TrainingRun run = training_run(1, {0.5, 0.6}, 0.9);
  run.identity.batch = 256;
  run.identity.precision = Precision::amp;
  run.identity.channels_last = true;
  run.environment.logical_cpus = 16;
  run.environment.device.compute_capability = "9.0";
  run.environment.device.multiprocessors = 132;
  run.environment.device.memory = Bytes(100'000'000'000);
  for (record::EpochResult& epoch : run.epochs) {
    epoch.train_s = 10.0;
    epoch.wait_s = 0.1;
    epoch.issue_s = 4.0;
  }
  record::SampleSeries series{.device = "cuda:0", .name = "GPU A"};
  for (int i = 0; i < 20; ++i) {
    record::Sample sample;
    sample.time_s = i;
    sample.core_utilization = 0.97;
    sample.memory_used_bytes = 10'000'000'000;
    sample.power_w = 600.0;
    sample.throttle_reasons = std::vector<std::string>();
    series.samples.push_back(sample);
  }
  run.samples = {series};
  return run;
}

TEST(TrainingAdvice, HasNothingToSayOfAGoodRun) { EXPECT_TRUE(advice_of(good_run()).empty()); }

// Half the time waiting with 4 workers: 4 / 0.5 * 1.25 = 10.
TEST(TrainingAdvice, AsksForWorkersWhereStepsWait) {
  TrainingRun run = good_run();
  for (record::EpochResult& epoch : run.epochs) epoch.wait_s = 5.0;
  run.samples.clear();
  auto advice = advice_of(run);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_EQ(advice[0].limit, TrainingLimit::data);
  EXPECT_EQ(advice[0].changes, (Changes{{ChangedMember::data_workers, "10"}}));
  EXPECT_THAT(advice[0].sentence, HasSubstr("waits 50.0 % of its time for images, decoded by 4"));

  run.environment.logical_cpus = 6;
  EXPECT_EQ(advice_of(run)[0].changes, (Changes{{ChangedMember::data_workers, "6"}}));
  run.data_workers = 6;
  EXPECT_TRUE(advice_of(run)[0].changes.empty());
  run.environment.logical_cpus = 0;
  EXPECT_TRUE(advice_of(run)[0].changes.empty());
  for (record::EpochResult& epoch : run.epochs) epoch.wait_s = 0.5;  // 5 % is not more than 5 %
  EXPECT_TRUE(advice_of(run).empty());
}

TEST(TrainingAdvice, AsksForALargerBatchWhereTheHostIssuesAllTheTime) {
  TrainingRun run = good_run();
  for (record::EpochResult& epoch : run.epochs) epoch.issue_s = 9.0;  // of 9.9 s
  const auto advice = advice_of(run);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_EQ(advice[0].limit, TrainingLimit::host);
  EXPECT_EQ(advice[0].changes, (Changes{{ChangedMember::batch, "512"}}));
  EXPECT_THAT(advice[0].sentence, HasSubstr("91 %"));
}

TEST(TrainingAdvice, AsksForALargerBatchWhereImagesAreFew) {
  TrainingRun run = good_run();
  run.identity.batch = 64;
  auto advice = advice_of(run);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_EQ(advice[0].limit, TrainingLimit::small_batch);
  EXPECT_EQ(advice[0].changes, (Changes{{ChangedMember::batch, "128"}}));
  EXPECT_THAT(advice[0].sentence,
              HasSubstr("fewer images than the device has multiprocessors (132)"));
  for (record::Sample& sample : run.samples[0].samples) sample.memory_used_bytes = 60'000'000'000;
  advice = advice_of(run);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_TRUE(advice[0].changes.empty());
  EXPECT_THAT(advice[0].sentence, HasSubstr("may not fit: 60 GB of 100 GB"));
}

TEST(TrainingAdvice, AsksForALargerBatchWhereTheDeviceIdles) {
  TrainingRun run = good_run();
  for (record::Sample& sample : run.samples[0].samples) sample.core_utilization = 0.7;
  const auto advice = advice_of(run);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_THAT(advice[0].sentence, HasSubstr("in use 70 % of the time"));
}

TEST(TrainingAdvice, PutsTensorCoresToUse) {
  TrainingRun run = good_run();
  run.identity.channels_last = false;
  EXPECT_EQ(advice_of(run).at(0).changes, (Changes{{ChangedMember::channels_last}}));
  run.identity.precision = Precision::fp32;
  EXPECT_EQ(advice_of(run).at(0).changes, (Changes{{ChangedMember::precision, "amp"}}));
  run.environment.device.compute_capability = "7.5";  // no bf16
  EXPECT_TRUE(advice_of(run).empty());
  run.environment.device.compute_capability.reset();
  EXPECT_TRUE(advice_of(run).empty());
}

TEST(TrainingAdvice, TellsPowerFromHeat) {
  TrainingRun run = good_run();
  for (record::Sample& sample : run.samples[0].samples) {
    sample.throttle_reasons = std::vector<std::string>{"sw_power_cap"};
    sample.temperature_c = 85.0;
  }
  run.samples[0].samples[0].throttle_reasons = std::vector<std::string>{"sw_thermal"};
  run.samples[0].samples[1].throttle_reasons = std::vector<std::string>{"sw_thermal", "gpu_idle"};
  const auto advice = advice_of(run);
  ASSERT_EQ(advice.size(), 2U);
  EXPECT_THAT(advice[0].sentence, HasSubstr("in 90 % of the samples, at 600 W on average"));
  EXPECT_THAT(advice[1].sentence, HasSubstr("heat (up to 85 °C) held the clocks down in 10 %"));
  EXPECT_TRUE(advice[0].changes.empty());
}

TEST(TrainingAdvice, OfACpuIsAboutDataAlone) {
  TrainingRun run = good_run();
  run.identity.device = "cpu";
  run.identity.precision = Precision::fp32;
  run.identity.batch = 1;
  EXPECT_TRUE(advice_of(run).empty());
}

TEST(TrainingTrial, IsFasterOnlyBeyondTheSpread) {
  const auto trial = [](std::vector<double> rates) {
    return TrainingTrial{.samples_per_s = std::move(rates)};
  };
  EXPECT_TRUE(is_faster(trial({110, 112}), trial({100, 102})));
  EXPECT_FALSE(is_faster(trial({101, 103}), trial({100, 102})));  // 1 gained, 2 spread
  EXPECT_FALSE(is_faster(trial({110, 130}), trial({100, 102})));  // 19 gained, 20 spread
  EXPECT_FALSE(is_faster(trial({}), trial({100, 102})));
  TrainingTrial failed = trial({200});
  failed.failure = "oom";
  EXPECT_FALSE(is_faster(failed, trial({100, 102})));
}

TEST(TrainingTrial, TakesItsFiguresFromTheRuns) {
  std::vector<TrainingRun> runs = {good_run(), good_run()};
  runs[1].epochs[0].train_s = 30.0;  // 2000 images in 40 s
  runs.push_back(good_run());
  runs[2].status = record::Status::oom;
  runs[2].message = "too large";
  const TrainingTrial trial = trial_of(runs);
  EXPECT_EQ(trial.samples_per_s, (std::vector<double>{100.0, 50.0}));
  EXPECT_DOUBLE_EQ(trial.mean().value(), 75.0);
  EXPECT_DOUBLE_EQ(trial.spread().value(), 50.0);
  EXPECT_NEAR(*trial.wait_share, 0.2 / 40.0, 1e-12);
  EXPECT_NEAR(*trial.core_utilization, 0.97, 1e-12);
  EXPECT_EQ(trial.failure, "oom: too large");
}

}  // namespace
}  // namespace rooflab::training
