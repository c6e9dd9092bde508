#include "rooflab/analyze/training_summary.hpp"

#include "rooflab/base/assert.hpp"

namespace rooflab::analyze {

TrainingSummary summarize_training(std::vector<std::string> names,
                                   std::vector<record::TrainingRun> runs) {
  ROOFLAB_ASSERT(names.size() == runs.size());
  TrainingSummary summary;
  summary.names = std::move(names);
  summary.runs = std::move(runs);
  summary.groups = training_groups(summary.runs);
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

}  // namespace rooflab::analyze
