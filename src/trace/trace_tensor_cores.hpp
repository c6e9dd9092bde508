#pragma once

#include <string_view>

#include "rooflab/trace/trace_breakdown.hpp"

namespace rooflab::trace {

/// Whether a kernel uses tensor cores, judged by its name. A trace has no counters, so this is an
/// estimate and must be labelled as one.
[[nodiscard]] bool uses_tensor_cores(std::string_view kernel, TraceRule rule);

}  // namespace rooflab::trace
