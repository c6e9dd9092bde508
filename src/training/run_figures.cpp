#include <algorithm>

#include "rooflab/base/statistics.hpp"
#include "rooflab/training/training_advice.hpp"

namespace rooflab::training {

using record::EpochResult;
using record::TrainingRun;

EpochSums epoch_sums(const TrainingRun& run) {
  EpochSums sums;
  for (const EpochResult& epoch : run.epochs) {
    sums.images += static_cast<double>(epoch.images);
    sums.train_s += epoch.train_s;
    sums.validation_s += epoch.validation_s;
    sums.wait_s += epoch.wait_s;
    sums.issue_s += epoch.issue_s;
  }
  return sums;
}

std::optional<double> samples_per_s(const TrainingRun& run) {
  const EpochSums sums = epoch_sums(run);
  return sums.images > 0.0 ? quotient(sums.images, sums.train_s) : std::nullopt;
}

std::optional<double> wait_share(const TrainingRun& run) {
  const EpochSums sums = epoch_sums(run);
  return quotient(sums.wait_s, sums.train_s);
}

const EpochResult* first_at(const TrainingRun& run, double accuracy) {
  const auto first = std::ranges::find_if(run.epochs, [accuracy](const EpochResult& epoch) {
    return epoch.accuracy && *epoch.accuracy >= accuracy;
  });
  return first == run.epochs.end() ? nullptr : &*first;
}

std::optional<std::int64_t> epochs_to_target(const TrainingRun& run) {
  if (!run.target_accuracy) return std::nullopt;
  const EpochResult* first = first_at(run, *run.target_accuracy);
  return first != nullptr ? std::optional(first->epoch + 1) : std::nullopt;
}

std::optional<double> final_accuracy(const TrainingRun& run) {
  const auto last =
      std::find_if(run.epochs.rbegin(), run.epochs.rend(),
                   [](const EpochResult& epoch) { return epoch.accuracy.has_value(); });
  return last == run.epochs.rend() ? std::nullopt : last->accuracy;
}

std::optional<double> best_accuracy(const TrainingRun& run) {
  // An absent accuracy is less than any.
  const auto best = std::ranges::max_element(run.epochs, {}, &EpochResult::accuracy);
  return best == run.epochs.end() ? std::nullopt : best->accuracy;
}

bool is_complete(const TrainingRun& run) {
  if (run.status != record::Status::ok || run.epochs.empty()) return false;
  const EpochResult& last = run.epochs.back();
  return run.reached_s || (last.accuracy && last.epoch + 1 >= run.recipe.epochs);
}

std::string outcome_of(const TrainingRun& run) {
  if (run.status != record::Status::ok) return std::string(name_of(run.status));
  if (!is_complete(run)) return "stopped early";
  if (!run.target_accuracy) return "ok";
  return run.reached_s ? "reached" : "not reached";
}

std::string device_name(const TrainingRun& run) {
  const std::string& name = run.environment.device.name;
  return name.empty() ? run.identity.device : name;
}

record::SampleSummary device_samples(const TrainingRun& run) {
  for (const record::SampleSeries& series : run.samples) {
    if (series.device == run.identity.device && series.device != "cpu") return summarize(series);
  }
  return {};
}

}  // namespace rooflab::training
