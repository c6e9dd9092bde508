#pragma once

#include "rooflab/analyze/training_summary.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::report {

/// docs/formats/training.md. The runs' samples stay in their own files.
[[nodiscard]] Json training_json(const analyze::TrainingSummary& summary);

/// `[{limit, sentence, flags}]`.
[[nodiscard]] Json advice_json(const std::vector<analyze::TrainingAdvice>& advice);

}  // namespace rooflab::report
