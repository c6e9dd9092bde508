#include "rooflab/training/training_summary.hpp"

namespace rooflab::training {

TrainingSummary summarize_training(std::vector<NamedTraining> trainings) {
  TrainingSummary summary{.runs = std::move(trainings)};
  std::vector<record::TrainingRun> runs;
  for (const NamedTraining& each : summary.runs) runs.push_back(each.run);
  summary.groups = training_groups(runs);
  for (TrainingGroup& group : summary.groups) {
    for (const std::size_t place : group.runs) {
      summary.runs[place].group = group.number;
      group.names.push_back(summary.runs[place].name);
      if (!runs[place].epochs.empty()) group.advice = advice_of(runs[place]);
    }
  }
  summary.comparisons = compare_training(summary.groups);
  return summary;
}

}  // namespace rooflab::training
