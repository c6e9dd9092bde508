// Two short runs tell how much runs vary, though not well: the larger of both spreads is the
// hurdle, and a gain below it is chance for all that is known.

#include "rooflab/training/training_trial.hpp"

#include <algorithm>
#include <numeric>

#include "rooflab/base/format.hpp"
#include "rooflab/record/sample_summary.hpp"
#include "rooflab/training/training_statistics.hpp"

namespace rooflab::training {

double TrainingTrial::mean() const {
  if (images_per_s.empty()) return 0.0;
  return std::accumulate(images_per_s.begin(), images_per_s.end(), 0.0) /
         static_cast<double>(images_per_s.size());
}

double TrainingTrial::spread() const {
  if (images_per_s.empty()) return 0.0;
  const auto [low, high] = std::ranges::minmax(images_per_s);
  return high - low;
}

TrainingTrial trial_of(std::span<const record::TrainingRun> runs) {
  TrainingTrial trial;
  for (const record::TrainingRun& run : runs) {
    const std::optional<double> rate = images_per_s(run);
    if (run.status != record::Status::ok || !rate) {
      trial.failure = format("{}{}", name_of(run.status),
                             run.message.empty() ? "" : format(": {}", run.message));
      continue;
    }
    trial.images_per_s.push_back(*rate);
    double train_s = 0.0;
    double wait_s = 0.0;
    for (const record::EpochResult& epoch : run.epochs) {
      train_s += epoch.train_s;
      wait_s += epoch.wait_s;
    }
    trial.wait_share = wait_s / train_s;
    for (const record::SampleSeries& series : run.samples) {
      if (series.device != run.identity.device || series.device == "cpu") continue;
      const record::SampleSummary summary = summarize(series);
      if (summary.core_utilization) trial.core_utilization = summary.core_utilization->mean;
      if (summary.memory_utilization) trial.memory_utilization = summary.memory_utilization->mean;
    }
  }
  return trial;
}

bool is_faster(const TrainingTrial& after, const TrainingTrial& before) {
  if (after.images_per_s.empty() || !after.failure.empty() || before.images_per_s.empty()) {
    return false;
  }
  return after.mean() - before.mean() > std::max(after.spread(), before.spread());
}

}  // namespace rooflab::training
