#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rooflab/record/training_run.hpp"
#include "rooflab/training/training_comparison.hpp"
#include "rooflab/training/training_statistics.hpp"

namespace rooflab::training {

/// A run and what it is called.
struct NamedTraining {
  std::string name;  ///< `run-1`, a folder
  record::TrainingRun run;
  std::size_t group = 0;  ///< TrainingGroup::number
};
/// The run's own fields, its notes, and at most 600 samples of each series.
[[nodiscard]] std::span<const Field> fields_of(For<NamedTraining>);

/// Runs of training with their groups, comparisons and advice.
struct TrainingSummary {
  std::vector<NamedTraining> runs;
  std::vector<TrainingGroup> groups;
  std::vector<TrainingComparison> comparisons;
};
/// Only the runs among these fields are read: the others follow from them.
[[nodiscard]] std::span<const Field> fields_of(For<TrainingSummary>);
[[nodiscard]] FileKind file_kind_of(For<TrainingSummary>);

[[nodiscard]] TrainingSummary summarize_training(std::vector<NamedTraining> trainings);

}  // namespace rooflab::training
