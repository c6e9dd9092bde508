#pragma once

#include "rooflab/base/json.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::report {

/// docs/formats/training.md. Of the runs' samples at most 600 a series;
/// their own files have all.
[[nodiscard]] Json training_json(const training::TrainingSummary& summary);

/// `[{limit, sentence, flags}]`.
[[nodiscard]] Json advice_json(const std::vector<training::TrainingAdvice>& advice);

}  // namespace rooflab::report
