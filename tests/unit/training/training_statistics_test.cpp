#include "rooflab/training/training_statistics.hpp"

#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "rooflab/training/training_advice.hpp"
#include "training/training_notes.hpp"
#include "training_runs.hpp"

namespace rooflab::training {
namespace {

using record::TrainingRun;

// Samples 8, 9, 10, 11, 12: mean 10, s = sqrt(10 / 4) = 1.5811. t(0.975, 4) = 2.7764:
// reach 2.7764 * 1.5811 / sqrt(5) = 1.9632.
TEST(MeanInterval, IsStudents) {
  const Statistics statistics = statistics_of(std::vector<double>{12, 8, 10, 9, 11});
  const auto interval = mean_interval(statistics);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 10.0 - 1.9632, 1e-4);
  EXPECT_NEAR(*interval->high, 10.0 + 1.9632, 1e-4);
  EXPECT_FALSE(mean_interval(statistics_of(std::vector<double>{1.0})));
}

// n = 5, k = 0.1; chi-square with 4 degrees: u1 = 11.1433 (97.5 %), u2 = 0.484419 (2.5 %).
//   low   (13.1433 / 5 - 1) 0.01 + 11.1433 / 4 = 0.0162866 + 2.785825 = 2.8021116, root 1.673951;
//         0.1 / 1.673951 = 0.0597389
//   high  (2.484419 / 5 - 1) 0.01 + 0.484419 / 4 = -0.0050312 + 0.1211048 = 0.1160736,
//         root 0.340696; 0.1 / 0.340696 = 0.293517
// Of 0.8 and 1.0: 0.9 -+ 12.71 x 0.1414 / 1.414 = -0.37 to 2.17.
TEST(RunFigure, IntervalsEndWhereValuesDo) {
  const RunFigure accuracy = run_figure({0.8, 1.0}, 1.0).value();
  EXPECT_EQ(accuracy.mean_interval->low, 0.0);
  EXPECT_EQ(accuracy.mean_interval->high, 1.0);
  const RunFigure seconds = run_figure({0.8, 1.0}).value();
  EXPECT_EQ(seconds.mean_interval->low, 0.0);
  EXPECT_NEAR(seconds.mean_interval->high.value(), 2.1706, 1e-4);
  EXPECT_FALSE(run_figure({}).has_value());
}

TEST(VariationInterval, IsTheModifiedMcKay) {
  Statistics statistics;
  statistics.count = 5;
  statistics.mean = 10.0;
  statistics.deviation = 1.0;
  statistics.variation = 0.1;
  const auto interval = variation_interval(statistics);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 0.0597389, 1e-6);
  ASSERT_TRUE(interval->high);
  EXPECT_NEAR(*interval->high, 0.293517, 1e-5);
}

// Two samples and k = 0.3: (2.000982 / 2 - 1) 0.09 + 0.000982 = 0.0010262, root 0.0320344: up to
// 9.365. Ten samples and k = 3: (4.7004 / 10 - 1) 9 + 0.300043 is below zero: no upper end.
TEST(VariationInterval, MayBeWideOrOpen) {
  Statistics statistics{.count = 2, .mean = 1.0, .deviation = 0.3, .variation = 0.3};
  EXPECT_NEAR(*variation_interval(statistics)->high, 9.365, 1e-2);
  statistics = {.count = 10, .mean = 1.0, .deviation = 3.0, .variation = 3.0};
  ASSERT_TRUE(variation_interval(statistics));
  EXPECT_FALSE(variation_interval(statistics)->high);
  statistics = {.count = 3, .mean = 1.0, .deviation = 0.0, .variation = 0.0};
  EXPECT_FALSE(variation_interval(statistics));
}

TEST(TrainingGroups, LeaveRunsThatDidNotReachOutOfTheMean) {
  std::vector<TrainingRun> runs = {
      training_run(1, {0.5, 0.9, 0.95}, 0.9), training_run(2, {0.5, 0.6, 0.7, 0.92}, 0.9),
      training_run(3, {0.1, 0.2, 0.3, 0.4, 0.5}, 0.9), training_run(4, {0.1}, 0.9)};
  runs[0].epochs.pop_back();
  runs[3].status = record::Status::crashed;
  const std::vector<TrainingGroup> groups = training_groups(runs);
  ASSERT_EQ(groups.size(), 1U);
  const TrainingGroup& group = groups.front();
  EXPECT_EQ(group.runs.size(), 4U);
  EXPECT_EQ(group.complete, 3U);
  EXPECT_EQ(group.reached, 2U);
  EXPECT_EQ(group.time_to_target_s->values, (std::vector<double>{22.0, 44.0}));
  EXPECT_EQ(group.epochs_to_target->values, (std::vector<double>{2.0, 4.0}));
  EXPECT_EQ(group.final_accuracy->values, (std::vector<double>{0.9, 0.92, 0.5}));
  EXPECT_EQ(group.samples_per_s->values, (std::vector<double>{100.0, 100.0, 100.0, 100.0}));
  EXPECT_DOUBLE_EQ(group.time_to_target_s->statistics.mean, 33.0);
  EXPECT_NEAR(group.shares->wait, 1.0 / 11.0, 1e-12);
  EXPECT_NEAR(group.shares->issue, 2.0 / 11.0, 1e-12);
  EXPECT_NEAR(group.shares->validation, 1.0 / 11.0, 1e-12);
  EXPECT_EQ(group.notes, (std::vector<Note>{{says.runs_stopped_early, {1}},
                                            {says.target_reached_by_some, {2, 3, 0.9}},
                                            {says.milestone_of_all, {3, 50}}}));
}

TEST(TrainingGroups, PartWhereDeviceOrRecipeDiffers) {
  std::vector<TrainingRun> runs(5, training_run(1, {0.95}, 0.9));
  runs[1].seed = 2;
  runs[1].identity.command = "another";
  runs[1].identity.device = "cuda:1";  // of the same kind
  runs[2].environment.device.name = "GPU B";
  runs[3].recipe.learning_rate = 0.2;
  runs[4].identity.precision = Precision::amp;
  const std::vector<TrainingGroup> groups = training_groups(runs);
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_EQ(groups[0].runs, (std::vector<std::size_t>{0, 1}));
}

TEST(TrainingRunFigures, OfARunThatWasCutShort) {
  TrainingRun run = training_run(1, {0.5}, 0.4);
  run.reached_s.reset();
  run.epochs.front().accuracy = {};
  run.epochs.front().images = 500;
  EXPECT_FALSE(is_complete(run));
  EXPECT_FALSE(epochs_to_target(run));
  EXPECT_DOUBLE_EQ(*samples_per_s(run), 50.0);
  EXPECT_FALSE(samples_per_s(TrainingRun{}));
  EXPECT_FALSE(training_groups(std::vector<TrainingRun>(1)).front().shares);
}

}  // namespace
}  // namespace rooflab::training
