#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/training/training_summary.hpp"
#include "training_runs.hpp"

namespace rooflab::training {
namespace {

using record::TrainingRun;
using testing::HasSubstr;

/// `count` runs that reach the target in the second epoch, on a device of that pace.
std::vector<TrainingRun> runs_on(const std::string& device, int count, double epoch_s) {
  std::vector<TrainingRun> runs;
  for (int i = 0; i < count; ++i) {
    runs.push_back(
        training_run(static_cast<std::uint64_t>(i), {0.5, 0.95}, 0.9, epoch_s + 0.01 * i));
    runs.back().environment.device.name = device;
  }
  return runs;
}

std::vector<TrainingComparison> compared(std::vector<TrainingRun> a,
                                         const std::vector<TrainingRun>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return compare_training(training_groups(a));
}

TEST(TrainingComparison, CallsAClearDifferenceReal) {
  const auto all = compared(runs_on("A", 4, 10.0), runs_on("B", 4, 20.0));
  ASSERT_EQ(all.size(), 4U);
  const TrainingComparison& time = all[0];
  EXPECT_EQ(time.figure->key, "time_to_target_s");
  EXPECT_EQ(time.verdict, TrainingVerdict::real);
  // Medians 2 (11 + 0.015) and 2 (21 + 0.015).
  EXPECT_NEAR(*time.median_a, 22.03, 1e-9);
  EXPECT_NEAR(*time.ratio, 42.03 / 22.03, 1e-9);
  EXPECT_NEAR(time.test->p_value, 2.0 / 70.0, 1e-12);
  EXPECT_EQ(time.sentence,
            "time to target: median 22.03 s on A, 42.03 s on B, ratio 1.91: the difference is real"
            " (p = 0.029)");
  // All epochs alike: nothing is shown.
  EXPECT_EQ(all[1].figure->key, "epochs_to_target");
  EXPECT_EQ(all[1].verdict, TrainingVerdict::not_shown);
  EXPECT_EQ(all[3].figure->key, "samples_per_s");
  EXPECT_EQ(all[3].verdict, TrainingVerdict::real);
}

TEST(TrainingComparison, SaysWhenRunsAreTooFew) {
  const auto all = compared(runs_on("A", 3, 10.0), runs_on("B", 3, 100.0));
  EXPECT_EQ(all[0].verdict, TrainingVerdict::too_few);
  EXPECT_NEAR(*all[0].least_p, 0.1, 1e-12);
  EXPECT_THAT(all[0].sentence,
              HasSubstr("too few runs to tell: 3 and 3 give no p below 0.1, 4 and 4 would do"));
}

TEST(TrainingComparison, NamesWhatElseDiffers) {
  std::vector<TrainingRun> b = runs_on("B", 4, 20.0);
  for (TrainingRun& run : b) {
    run.identity.batch = 200;
    run.identity.graph = "of another batch";
    run.recipe.nesterov = true;
  }
  const auto all = compared(runs_on("A", 4, 10.0), b);
  EXPECT_EQ(all[0].differences, (std::vector<std::string>{"batch: 100, 200", "Nesterov: no, yes"}));
  EXPECT_THAT(all[0].sentence, HasSubstr("the device need not be the reason, the runs differ also"
                                         " in batch: 100, 200; Nesterov: no, yes"));
}

TEST(TrainingComparison, NeedsAFigureOnBothSides) {
  std::vector<TrainingRun> b = runs_on("B", 4, 20.0);
  for (TrainingRun& run : b) run.reached_s.reset();
  const auto all = compared(runs_on("A", 4, 10.0), b);
  EXPECT_EQ(all[0].verdict, TrainingVerdict::missing);
  EXPECT_EQ(all[0].sentence, "time to target: none on B");
}

}  // namespace
}  // namespace rooflab::training
