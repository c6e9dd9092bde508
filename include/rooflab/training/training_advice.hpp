#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/describe/request_change.hpp"
#include "rooflab/record/sample.hpp"
#include "rooflab/record/training_run.hpp"

/// Figures and advice from one run of training.
namespace rooflab::training {

/// Sums over the epochs of a run.
struct EpochSums {
  double images = 0.0;  ///< images trained on
  double train_s = 0.0;
  double validation_s = 0.0;
  double wait_s = 0.0;
  double issue_s = 0.0;
};
[[nodiscard]] EpochSums epoch_sums(const record::TrainingRun& run);

/// Images per second of wall clock of training, without validation; nullopt where no time passed.
[[nodiscard]] std::optional<double> samples_per_s(const record::TrainingRun& run);

/// Share of the training time in which it waited for images; nullopt where no time passed.
[[nodiscard]] std::optional<double> wait_share(const record::TrainingRun& run);

/// The first epoch with at least this validation accuracy (0 to 1); nullptr: never reached.
[[nodiscard]] const record::EpochResult* first_at(const record::TrainingRun& run, double accuracy);

/// Number of epochs to the target; nullopt: never reached, or no target.
[[nodiscard]] std::optional<std::int64_t> epochs_to_target(const record::TrainingRun& run);

/// Accuracy of the last validated epoch, and of the best one.
[[nodiscard]] std::optional<double> final_accuracy(const record::TrainingRun& run);
[[nodiscard]] std::optional<double> best_accuracy(const record::TrainingRun& run);

/// Whether the run reached its end: the target or the last epoch.
[[nodiscard]] bool is_complete(const record::TrainingRun& run);

/// Outcome of a run: `reached`, `not reached`, `ok` without a target, `stopped early`, else the
/// status.
[[nodiscard]] std::string outcome_of(const record::TrainingRun& run);

/// The processor's name, or `cuda:0` where it is not known.
[[nodiscard]] std::string device_name(const record::TrainingRun& run);

/// Summary of the samples of the GPU that trained; figures are nullopt without samples.
[[nodiscard]] record::SampleSummary device_samples(const record::TrainingRun& run);

/// Bottleneck of a training run.
enum class TrainingLimit : std::uint8_t {
  data,           ///< steps wait for images
  host,           ///< the device waits for the host to issue work
  small_batch,    ///< too few images per step for the device
  precision,      ///< matrix work outside the tensor cores
  memory_format,  ///< tensor cores with images in channels-first order
  power,          ///< the power limit holds the clocks down
  heat,           ///< the temperature holds the clocks down
};
constexpr auto names_in_order(For<TrainingLimit>) {
  return names_through<TrainingLimit::heat>("data-bound", "host-bound", "small batch", "precision",
                                            "memory format", "power limit", "heat");
}

/// A bottleneck with its numbers and advice.
struct TrainingAdvice {
  TrainingLimit limit = TrainingLimit::data;
  std::string sentence = {};
  /// Changes of the request to train; empty: no change helps
  std::vector<RequestChange> changes = {};

  /// The changes as flags: `--batch 256`.
  [[nodiscard]] std::string change() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<TrainingAdvice>);

/// Advice from the times and samples of a run, the most expensive bottleneck first. Missing data
/// (no samples, a CPU) give no advice. The thresholds are in docs/methods/training.md.
[[nodiscard]] std::vector<TrainingAdvice> advice_of(const record::TrainingRun& run);

/// Short runs that measure the speed of one way to train.
struct TrainingTrial {
  std::optional<TrainingAdvice> advice = {};    ///< advice that was added; nullopt: none
  std::string command = {};                     ///< command line that trains in this way to the end
  std::vector<double> samples_per_s = {};       ///< rates of the runs that ended well
  std::optional<double> core_utilization = {};  ///< mean over the samples of the last run
  std::optional<double> memory_utilization = {};
  std::optional<double> wait_share = {};  ///< share of the last run's training time
  std::string failure = {};               ///< message of the last run that failed; may be empty
  bool kept = false;                      ///< the next trial builds on it
  std::optional<double> gain_share = {};  ///< gain over the trial that it was added to

  /// Mean rate of the runs; nullopt without runs.
  [[nodiscard]] std::optional<double> mean() const;
  /// Largest minus smallest rate of the runs; nullopt without runs.
  [[nodiscard]] std::optional<double> spread() const;
  /// The change of this trial: `--batch 256`, `as given`.
  [[nodiscard]] std::string change() const;
  /// Verdict of the trial: `start`, `helped, kept`, `no gain beyond the spread`, `cut short`,
  /// `failed`.
  [[nodiscard]] std::string verdict() const;
};

/// Trial of runs with equal settings: the rates of all runs, other figures from the last run.
[[nodiscard]] TrainingTrial trial_of(std::span<const record::TrainingRun> runs);

/// Whether `after` is faster by more than the spread of the runs of either trial.
[[nodiscard]] bool is_faster(const TrainingTrial& after, const TrainingTrial& before);

/// Trials in order. The first is as given; each other one adds advice to the last kept trial before
/// it.
struct TrialSummary {
  std::vector<TrainingTrial> trials = {};
  /// Sentences: what helped, and the command line with it
  std::vector<std::string> conclusion = {};
};
[[nodiscard]] TrialSummary summarize_trials(std::vector<TrainingTrial> trials);

[[nodiscard]] std::span<const Field> fields_of(For<TrainingTrial>);
[[nodiscard]] std::span<const Field> fields_of(For<TrialSummary>);
[[nodiscard]] FileKind file_kind_of(For<TrialSummary>);

}  // namespace rooflab::training
