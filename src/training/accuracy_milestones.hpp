#pragma once

#include <span>
#include <vector>

#include "rooflab/training/training_statistics.hpp"

namespace rooflab::training {

/// TrainingGroup::milestones; `runs` is the list in which the group's places lie.
[[nodiscard]] std::vector<AccuracyMilestone> accuracy_milestones(
    const TrainingGroup& group, std::span<const record::TrainingRun> runs);

}  // namespace rooflab::training
