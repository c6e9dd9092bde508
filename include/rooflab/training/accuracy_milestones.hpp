#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rooflab/record/training_run.hpp"
#include "rooflab/training/training_statistics.hpp"

namespace rooflab::training {

/// A whole per cent of validation accuracy, and what it took to get there.
struct AccuracyMilestone {
  int percent = 0;
  std::size_t reached = 0;  ///< complete runs, at least one
  // Of the runs that reached it alone, up to their first validation at it:
  RunFigure time_s;
  RunFigure epochs;
};

/// Of the complete runs of a group, the highest first: the highest whole per cent that any of them
/// reached and the four below it, and the highest that all reached, however far down that is.
/// Nothing above the target, at which runs stop. Empty where no complete run came to 1 %.
/// `runs` is the list in which the group's places lie.
[[nodiscard]] std::vector<AccuracyMilestone> accuracy_milestones(
    const TrainingGroup& group, std::span<const record::TrainingRun> runs);

/// The highest that all complete runs of the group reached; null where there is none.
[[nodiscard]] const AccuracyMilestone* reached_by_all(
    const TrainingGroup& group, const std::vector<AccuracyMilestone>& milestones);

}  // namespace rooflab::training
