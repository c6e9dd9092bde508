#pragma once

#include <span>

#include "rooflab/report/document.hpp"
#include "rooflab/training/training_trial.hpp"

namespace rooflab::report {

/// What each piece of advice did to a training, one added after another: images/s, utilisation and
/// waiting before and after, and which helped. The first trial is the training as given.
[[nodiscard]] Document trial_report(std::span<const training::TrainingTrial> trials);

}  // namespace rooflab::report
