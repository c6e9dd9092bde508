#include <gtest/gtest.h>

#include "rooflab/training/training_statistics.hpp"
#include "training_runs.hpp"

namespace rooflab::training {
namespace {

using record::TrainingRun;

/// Milestones of runs that are one group.
std::vector<AccuracyMilestone> milestones_of(const std::vector<TrainingRun>& runs) {
  const std::vector<TrainingGroup> groups = training_groups(runs);
  EXPECT_EQ(groups.size(), 1U);
  return groups.front().milestones;
}

std::vector<int> percents(const std::vector<AccuracyMilestone>& milestones) {
  std::vector<int> list;
  list.reserve(milestones.size());
  for (const AccuracyMilestone& each : milestones) list.push_back(each.percent);
  return list;
}

/// Five epochs that end at the accuracy; the target is never reached.
TrainingRun ending_at(double accuracy) { return training_run(1, {0, 0, 0, 0, accuracy}, 1.0); }

// Epochs end at 11, 22, 33, 44 and 55 s. The third run's best is not its last.
TEST(AccuracyMilestones, AreTheFirstValidationsOfTheRunsThatReached) {
  const std::vector<AccuracyMilestone> milestones =
      milestones_of({training_run(1, {0.50, 0.88, 0.90, 0.905, 0.913}, 0.95),
                     training_run(2, {0.40, 0.60, 0.885, 0.89, 0.902}, 0.95),
                     training_run(3, {0.70, 0.80, 0.85, 0.895, 0.87}, 0.95)});
  ASSERT_EQ(percents(milestones), (std::vector<int>{91, 90, 89, 88, 87}));
  EXPECT_EQ(milestones[0].reached, 1U);
  EXPECT_EQ(milestones[0].time_s.values, (std::vector<double>{55}));
  EXPECT_FALSE(milestones[0].time_s.mean_interval);
  EXPECT_EQ(milestones[1].reached, 2U);
  EXPECT_EQ(milestones[1].time_s.values, (std::vector<double>{33, 55}));
  EXPECT_EQ(milestones[1].epochs.values, (std::vector<double>{3, 5}));
  EXPECT_EQ(milestones[2].reached, 3U);
  EXPECT_EQ(milestones[2].time_s.values, (std::vector<double>{33, 44, 44}));
  // 22, 33 and 44 s: deviation 11, t(0.975, 2) = 4.3027: reach 4.3027 x 11 / sqrt(3) = 27.325.
  EXPECT_EQ(milestones[3].epochs.values, (std::vector<double>{2, 3, 4}));
  EXPECT_DOUBLE_EQ(milestones[3].time_s.statistics.mean, 33.0);
  EXPECT_DOUBLE_EQ(milestones[3].time_s.statistics.median, 33.0);
  EXPECT_DOUBLE_EQ(milestones[3].time_s.statistics.deviation, 11.0);
  EXPECT_NEAR(milestones[3].time_s.mean_interval->low, 5.675, 1e-3);
  EXPECT_EQ(milestones[4].time_s.values, (std::vector<double>{22, 33, 44}));
}

// 100 x 0.57 is 56.99999999999999 in doubles, 100 x 0.29 is 28.999999999999996.
TEST(AccuracyMilestones, TakeWholePerCentsAsWhole) {
  EXPECT_EQ(percents(milestones_of({ending_at(0.91)})).front(), 91);
  EXPECT_EQ(percents(milestones_of({ending_at(0.57)})).front(), 57);
  EXPECT_EQ(percents(milestones_of({ending_at(0.29)})).front(), 29);
  EXPECT_EQ(percents(milestones_of({ending_at(0.909999)})).front(), 90);
  EXPECT_EQ(percents(milestones_of({training_run(1, {0.1, 0.57, 0.58}, 0.58)})),
            (std::vector<int>{58, 57, 56, 55, 54}));
}

// Of 10,000 images every hundredth is a whole per cent, and one image less is not.
TEST(AccuracyMilestones, AreExactToTheImage) {
  for (int percent = 1; percent <= 100; ++percent) {
    EXPECT_EQ(milestones_of({ending_at(percent * 100 / 10000.0)}).front().percent, percent);
    if (percent == 100) continue;
    EXPECT_EQ(milestones_of({ending_at((percent * 100 + 99) / 10000.0)}).front().percent, percent);
  }
}

// 0.95 - 0.15 is 0.7999999999999999 in doubles, which does not come to a target of 0.8.
TEST(AccuracyMilestones, AgreeWithTheTarget) {
  const std::vector<TrainingRun> runs = {training_run(1, {0.5, 0.95 - 0.15, 0.82}, 0.8)};
  const std::vector<AccuracyMilestone> milestones = milestones_of(runs);
  EXPECT_EQ(runs[0].reached_s, 33.0);
  EXPECT_EQ(milestones[0].percent, 80);
  EXPECT_EQ(milestones[0].time_s.values, (std::vector<double>{33}));
  EXPECT_EQ(milestones[1].time_s.values, (std::vector<double>{22}));
}

TEST(AccuracyMilestones, GoDownToWhatAllReached) {
  EXPECT_EQ(percents(milestones_of({ending_at(0.95), ending_at(0.91)})),
            (std::vector<int>{95, 94, 93, 92, 91}));
  EXPECT_EQ(percents(milestones_of({ending_at(0.95), ending_at(0.90)})),
            (std::vector<int>{95, 94, 93, 92, 91, 90}));
  const auto milestones = milestones_of({ending_at(0.95), ending_at(0.502)});
  EXPECT_EQ(percents(milestones), (std::vector<int>{95, 94, 93, 92, 91, 50}));
  EXPECT_EQ(milestones[4].reached, 1U);
  EXPECT_EQ(milestones[5].reached, 2U);
  // Below 1 % there is nothing to reach.
  EXPECT_EQ(percents(milestones_of({ending_at(0.03), ending_at(0.001)})),
            (std::vector<int>{3, 2, 1}));
  EXPECT_TRUE(milestones_of({ending_at(0.001)}).empty());
}

// One run ends at 92 %, the other at 94 %, because both stop at 90 % and not because they could go
// no further.
TEST(AccuracyMilestones, EndAtTheTarget) {
  const std::vector<TrainingRun> runs = {training_run(1, {0.5, 0.92}, 0.905),
                                         training_run(2, {0.5, 0.8, 0.94}, 0.905)};
  const std::vector<AccuracyMilestone> milestones = milestones_of(runs);
  EXPECT_EQ(percents(milestones), (std::vector<int>{90, 89, 88, 87, 86}));
  EXPECT_EQ(milestones[0].time_s.values, (std::vector<double>{22, 33}));
  std::vector<TrainingRun> endless = {ending_at(0.92), ending_at(0.92)};
  for (TrainingRun& run : endless) run.target_accuracy.reset();
  EXPECT_EQ(percents(milestones_of(endless)).front(), 92);
}

TEST(AccuracyMilestones, OfOneRunHaveNoSpread) {
  const auto milestones = milestones_of({training_run(1, {0.5, 0.87, 0.88, 0.89, 0.90}, 0.95)});
  ASSERT_EQ(percents(milestones), (std::vector<int>{90, 89, 88, 87, 86}));
  EXPECT_EQ(milestones[0].time_s.values, (std::vector<double>{55}));
  EXPECT_EQ(milestones[4].time_s.values, (std::vector<double>{22}));
  EXPECT_EQ(milestones[4].reached, 1U);
  EXPECT_FALSE(milestones[4].time_s.mean_interval);
}

TEST(AccuracyMilestones, LeaveOutWhatDidNotComeToItsEnd) {
  TrainingRun crashed = training_run(2, {0.5, 0.99}, 1.0);
  crashed.status = record::Status::crashed;
  const TrainingRun cut = training_run(3, {0.5, 0.94}, 1.0);
  EXPECT_TRUE(milestones_of({crashed, cut}).empty());
  const auto milestones = milestones_of({crashed, cut, ending_at(0.9)});
  EXPECT_EQ(percents(milestones), (std::vector<int>{90, 89, 88, 87, 86}));
  EXPECT_EQ(milestones[4].reached, 1U);
}

TEST(AccuracyMilestones, LeaveOutEpochsWithoutValidation) {
  TrainingRun run = ending_at(0.9);
  run.epochs[1].accuracy = {};
  const auto milestones = milestones_of({run});
  EXPECT_EQ(percents(milestones).front(), 90);
  EXPECT_EQ(milestones[0].time_s.values, (std::vector<double>{55}));
  EXPECT_TRUE(milestones_of({training_run(1, {}, 0.9)}).empty());
}

}  // namespace
}  // namespace rooflab::training
