#pragma once

#include <vector>

#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/step_time.hpp"

namespace rooflab::predict {

/// Part of each op in a predicted step: from the end of the op before it to its own, gaps and
/// waiting for the host included. They sum to the step's time.
[[nodiscard]] std::vector<double> op_times(const StepTime& step);

/// Times of the limit. Throws Error (input) that names what the device's file lacks, or the op
/// without a rule.
[[nodiscard]] std::vector<double> op_times(const NetworkLimit& limit);

}  // namespace rooflab::predict
