#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/statistics.hpp"
#include "rooflab/record/training_run.hpp"
#include "rooflab/training/training_advice.hpp"

namespace rooflab::training {

/// Short runs of one way to train, to see how fast it is.
struct TrainingTrial {
  std::optional<TrainingAdvice> advice;    ///< what was added; nullopt: as given
  std::string command;                     ///< that trains so, to the end
  std::vector<double> images_per_s;        ///< of each run that ended well
  std::optional<double> core_utilization;  ///< mean over the samples of the last run
  std::optional<double> memory_utilization;
  std::optional<double> wait_share;  ///< of the training time of the last run
  std::string failure;               ///< of the last run that did not end well; empty without
  bool kept = false;                 ///< the next trial builds on it

  /// 0 without runs.
  [[nodiscard]] double mean() const;
  /// Largest minus smallest of the runs.
  [[nodiscard]] double spread() const;
};

/// Of runs that were trained alike, the last one's figures beside the rates of all.
[[nodiscard]] TrainingTrial trial_of(std::span<const record::TrainingRun> runs);

/// Whether `after` is faster by more than the runs of either vary.
[[nodiscard]] bool is_faster(const TrainingTrial& after, const TrainingTrial& before);

}  // namespace rooflab::training
