#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rooflab/record/trace.hpp"

namespace rooflab::trace {

/// Which ranges of a trace are its steps.
struct StepMark {
  /// For each name of the trace's ranges: it marks a step.
  std::vector<bool> is_step;
};

[[nodiscard]] StepMark step_mark_of(const record::Trace& trace);

/// What a step's own name says of which step it is: `3` of `ProfilerStep#3` and `step 3`; empty of
/// a name without a number, such as `train_step`.
[[nodiscard]] std::string_view step_number_of(std::string_view name);

}  // namespace rooflab::trace
