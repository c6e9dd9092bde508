#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/record/training_run.hpp"
#include "rooflab/training/training_advice.hpp"

namespace rooflab::training {

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
