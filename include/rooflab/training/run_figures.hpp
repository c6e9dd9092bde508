#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rooflab/record/sample_summary.hpp"
#include "rooflab/record/training_run.hpp"

/// What one run of training says.
namespace rooflab::training {

/// Sums over the epochs of a run.
struct EpochSums {
  double images = 0.0;  ///< trained on
  double train_s = 0.0;
  double validation_s = 0.0;
  double wait_s = 0.0;
  double issue_s = 0.0;
};
[[nodiscard]] EpochSums epoch_sums(const record::TrainingRun& run);

/// Images trained on over the wall clock of training, without validation; nullopt without.
[[nodiscard]] std::optional<double> samples_per_s(const record::TrainingRun& run);

/// Part of the training time that waited for images; nullopt where no time passed.
[[nodiscard]] std::optional<double> wait_share(const record::TrainingRun& run);

/// The first validated epoch of at least this accuracy, 0 to 1; null: never reached.
[[nodiscard]] const record::EpochResult* first_at(const record::TrainingRun& run, double accuracy);

/// How many epochs it took to the target; nullopt: never reached, or no target.
[[nodiscard]] std::optional<std::int64_t> epochs_to_target(const record::TrainingRun& run);

/// Accuracy of the last validated epoch, and of the best one.
[[nodiscard]] std::optional<double> final_accuracy(const record::TrainingRun& run);
[[nodiscard]] std::optional<double> best_accuracy(const record::TrainingRun& run);

/// Whether the run came to its end: the target or the last epoch.
[[nodiscard]] bool is_complete(const record::TrainingRun& run);

/// `reached`, `not reached`, `ok` without a target, `stopped early`, else the status.
[[nodiscard]] std::string outcome_of(const record::TrainingRun& run);

/// The processor's name, or `cuda:0` where it is not known.
[[nodiscard]] std::string device_name(const record::TrainingRun& run);

/// Samples of the GPU that trained; without samples the figures are absent.
[[nodiscard]] record::SampleSummary device_samples(const record::TrainingRun& run);

}  // namespace rooflab::training
