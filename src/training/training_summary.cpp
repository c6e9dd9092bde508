#include "rooflab/training/training_summary.hpp"

namespace rooflab::training {

TrainingSummary summarize_training(std::vector<NamedTraining> trainings) {
  TrainingSummary summary;
  for (NamedTraining& each : trainings) {
    summary.names.push_back(std::move(each.name));
    summary.runs.push_back(std::move(each.run));
  }
  summary.groups = training_groups(summary.runs);
  for (const TrainingGroup& group : summary.groups) {
    summary.milestones.push_back(accuracy_milestones(group, summary.runs));
  }
  summary.comparisons = compare_training(summary.groups);
  for (std::size_t i = 0; i < summary.groups.size(); ++i) {
    const std::vector<std::size_t>& places = summary.groups[i].runs;
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
      const record::TrainingRun& run = summary.runs[*place];
      if (run.epochs.empty()) continue;
      std::vector<TrainingAdvice> advice = advice_of(run);
      if (!advice.empty()) summary.advice.push_back({i, std::move(advice)});
      break;
    }
  }
  return summary;
}

}  // namespace rooflab::training
