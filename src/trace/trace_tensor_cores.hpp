#pragma once

#include <string_view>

#include "rooflab/trace/trace_breakdown.hpp"

namespace rooflab::trace {

/// Whether a kernel of this name uses tensor cores, as far as a name can tell. A trace has no
/// counters: this is an estimate, and is to be labelled so.
[[nodiscard]] bool uses_tensor_cores(std::string_view kernel, TraceRule rule);

}  // namespace rooflab::trace
