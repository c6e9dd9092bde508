#pragma once

#include <string>
#include <vector>

#include "rooflab/record/training_run.hpp"
#include "rooflab/training/accuracy_milestones.hpp"
#include "rooflab/training/training_advice.hpp"
#include "rooflab/training/training_comparison.hpp"
#include "rooflab/training/training_statistics.hpp"

namespace rooflab::training {

/// A run and what it is called.
struct NamedTraining {
  std::string name;
  record::TrainingRun run;
};

/// Advice for the runs of one group, from the latest that trained.
struct GroupAdvice {
  std::size_t group = 0;
  std::vector<TrainingAdvice> advice;
};

/// Runs of training with everything that is said about them.
struct TrainingSummary {
  std::vector<std::string> names;  ///< of the runs: `run-1`, a folder
  std::vector<record::TrainingRun> runs;
  std::vector<TrainingGroup> groups;
  std::vector<std::vector<AccuracyMilestone>> milestones;  ///< of each group
  std::vector<TrainingComparison> comparisons;
  std::vector<GroupAdvice> advice;  ///< of groups for which there is any
};

[[nodiscard]] TrainingSummary summarize_training(std::vector<NamedTraining> trainings);

}  // namespace rooflab::training
