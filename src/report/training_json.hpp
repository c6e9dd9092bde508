#pragma once

#include "rooflab/analyze/training_summary.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::report {

/// docs/formats/training.md. Of the runs' samples at most 600 a series;
/// their own files have all.
[[nodiscard]] Json training_json(const analyze::TrainingSummary& summary);

/// `[{limit, sentence, flags}]`.
[[nodiscard]] Json advice_json(const std::vector<analyze::TrainingAdvice>& advice);

}  // namespace rooflab::report
