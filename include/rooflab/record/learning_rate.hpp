#pragma once

#include <cstdint>

#include "rooflab/record/training_run.hpp"

namespace rooflab::record {

/// The learning rate of step `step` (from 0, through all epochs) of a run with `steps_per_epoch`
/// steps in each of the recipe's epochs; beyond them that of the last. src/record/learning_rate.cpp
/// has the formulas.
[[nodiscard]] double learning_rate_at(const TrainingRecipe& recipe, std::int64_t step,
                                      std::int64_t steps_per_epoch);

}  // namespace rooflab::record
