#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/record/sample.hpp"
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

/// What keeps a training run from being faster.
enum class TrainingLimit : std::uint8_t {
  data,           ///< steps wait for images
  host,           ///< the device waits for the host to issue work
  small_batch,    ///< too few images at a time for the device
  precision,      ///< matrix work beside the tensor cores
  memory_format,  ///< tensor cores with images in channels-first order
  power,          ///< the power limit holds the clocks down
  heat,           ///< so does the temperature
};
constexpr auto names_in_order(For<TrainingLimit>) {
  return names_through<TrainingLimit::heat>("data-bound", "host-bound", "small batch", "precision",
                                            "memory format", "power limit", "heat");
}

/// A finding with its numbers, and what would help.
struct TrainingAdvice {
  TrainingLimit limit = TrainingLimit::data;
  std::string sentence;
  /// Flags of `rooflab train` with their values, empty for a switch; none where no flag helps.
  std::vector<std::pair<std::string, std::string>> flags;

  /// The flags as words: `--batch 256`.
  [[nodiscard]] std::string change() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<TrainingAdvice>);

/// From the times and samples of a run, the one that costs most first. What the run does not tell
/// (no samples, a CPU) gives no finding. The thresholds stand in docs/methods/training.md.
[[nodiscard]] std::vector<TrainingAdvice> advice_of(const record::TrainingRun& run);

/// Short runs of one way to train, to see how fast it is.
struct TrainingTrial {
  std::optional<TrainingAdvice> advice;    ///< what was added; nullopt: as given
  std::string command;                     ///< that trains so, to the end
  std::vector<double> samples_per_s;       ///< rates of the runs that ended well
  std::optional<double> core_utilization;  ///< mean over the samples of the last run
  std::optional<double> memory_utilization;
  std::optional<double> wait_share;  ///< share of the last run's training time
  std::string failure;               ///< the last run's that did not end well; may be empty
  bool kept = false;                 ///< the next trial builds on it
  std::optional<double> gain_share;  ///< over the trial that it was added to

  /// nullopt without runs.
  [[nodiscard]] std::optional<double> mean() const;
  /// Largest minus smallest of the runs; likewise.
  [[nodiscard]] std::optional<double> spread() const;
  /// What was changed: `--batch 256`, `as given`.
  [[nodiscard]] std::string change() const;
  /// `start`, `helped, kept`, `no gain beyond the spread`, `cut short`, `failed`.
  [[nodiscard]] std::string verdict() const;
};

/// Trial of runs that were trained alike: the last one's figures beside the rates of all.
[[nodiscard]] TrainingTrial trial_of(std::span<const record::TrainingRun> runs);

/// Whether `after` is faster by more than the runs of either vary.
[[nodiscard]] bool is_faster(const TrainingTrial& after, const TrainingTrial& before);

/// Trials in order, the first as given, each added to the last one before it that was kept.
struct TrialSummary {
  std::vector<TrainingTrial> trials;
  std::vector<std::string> conclusion;  ///< sentences: what helped, and the command line with it
};
[[nodiscard]] TrialSummary summarize_trials(std::vector<TrainingTrial> trials);

[[nodiscard]] std::span<const Field> fields_of(For<TrainingTrial>);
[[nodiscard]] std::span<const Field> fields_of(For<TrialSummary>);
[[nodiscard]] FileKind file_kind_of(For<TrialSummary>);

}  // namespace rooflab::training
