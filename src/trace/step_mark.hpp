#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rooflab/record/trace.hpp"

namespace rooflab::trace {

/// Names of the ranges that mark the steps of a trace.
struct StepMark {
  /// For each name of the trace's ranges whether it marks a step.
  std::vector<bool> is_step;
};

[[nodiscard]] StepMark step_mark_of(const record::Trace& trace);

/// Number of a step in its name: `3` for `ProfilerStep#3` and `step 3`; empty for a name without a
/// number, such as `train_step`.
[[nodiscard]] std::string_view step_number_of(std::string_view name);

}  // namespace rooflab::trace
