// Against PyTorch's documented formulas, worked out by hand.

#include <gtest/gtest.h>

#include <cmath>

#include "rooflab/record/training_run.hpp"

namespace rooflab::record {
namespace {

TrainingRecipe recipe(LearningRateSchedule schedule, std::int64_t epochs) {
  TrainingRecipe result;
  result.schedule = schedule;
  result.epochs = epochs;
  result.learning_rate = 0.1;
  return result;
}

// OneCycleLR(max_lr=0.1, total_steps=10): phases end at steps 0.3 x 10 - 1 = 2 and 9. Half way up
// (0.004 + 0.1) / 2; at step 3 a seventh of the way down: 4e-7 + 0.0999996 (1 + cos(pi / 7)) / 2,
// cos(pi / 7) = 0.900969.
TEST(LearningRate, OneCycle) {
  const TrainingRecipe one_cycle = recipe(LearningRateSchedule::one_cycle, 5);
  EXPECT_NEAR(learning_rate_at(one_cycle, 0, 2), 0.004, 1e-12);
  EXPECT_NEAR(learning_rate_at(one_cycle, 1, 2), 0.052, 1e-12);
  EXPECT_NEAR(learning_rate_at(one_cycle, 2, 2), 0.1, 1e-12);
  EXPECT_NEAR(learning_rate_at(one_cycle, 3, 2), 0.0950485, 1e-7);
  EXPECT_NEAR(learning_rate_at(one_cycle, 9, 2), 4e-7, 1e-12);
  EXPECT_NEAR(learning_rate_at(one_cycle, 1000, 2), 4e-7, 1e-12);
}

TEST(LearningRate, OneCycleOfAFewStepsHasNoRise) {
  const TrainingRecipe one_cycle = recipe(LearningRateSchedule::one_cycle, 1);
  EXPECT_NEAR(learning_rate_at(one_cycle, 0, 3), 0.1, 1e-12);
  EXPECT_NEAR(learning_rate_at(one_cycle, 2, 3), 4e-7, 1e-12);
  EXPECT_TRUE(std::isfinite(learning_rate_at(one_cycle, 0, 1)));
}

// CosineAnnealingLR(T_max=8): 0.1 (1 + cos(pi t / 8)) / 2.
TEST(LearningRate, Cosine) {
  const TrainingRecipe cosine = recipe(LearningRateSchedule::cosine, 4);
  EXPECT_NEAR(learning_rate_at(cosine, 0, 2), 0.1, 1e-12);
  EXPECT_NEAR(learning_rate_at(cosine, 4, 2), 0.05, 1e-12);
  EXPECT_NEAR(learning_rate_at(cosine, 2, 2), 0.085355339, 1e-9);  // cos(pi / 4) = 0.70710678
}

TEST(LearningRate, StepFallsAtTheStartOfAMilestonesEpoch) {
  TrainingRecipe step = recipe(LearningRateSchedule::step, 10);
  step.milestones = {2, 4};
  step.step_factor = 0.5;
  EXPECT_NEAR(learning_rate_at(step, 5, 3), 0.1, 1e-12);
  EXPECT_NEAR(learning_rate_at(step, 6, 3), 0.05, 1e-12);
  EXPECT_NEAR(learning_rate_at(step, 12, 3), 0.025, 1e-12);
}

// Two epochs of two steps: 1/4, 2/4, 3/4, 4/4 of the peak.
TEST(LearningRate, WarmUpIsLinearFromZero) {
  TrainingRecipe constant = recipe(LearningRateSchedule::constant, 10);
  constant.warmup_epochs = 2.0;
  EXPECT_NEAR(learning_rate_at(constant, 0, 2), 0.025, 1e-12);
  EXPECT_NEAR(learning_rate_at(constant, 2, 2), 0.075, 1e-12);
  EXPECT_NEAR(learning_rate_at(constant, 4, 2), 0.1, 1e-12);
  // What follows is the schedule over the rest of the run.
  TrainingRecipe cosine = recipe(LearningRateSchedule::cosine, 4);
  cosine.warmup_epochs = 2.0;
  EXPECT_NEAR(learning_rate_at(cosine, 4, 2), 0.1, 1e-12);
  EXPECT_NEAR(learning_rate_at(cosine, 6, 2), 0.05, 1e-12);
}

}  // namespace
}  // namespace rooflab::record
