#pragma once

#include <string_view>

namespace rooflab::record {

/// Trace::profiler of a trace that `rooflab profile` made.
inline constexpr std::string_view cupti_activity = "CUPTI activity";

}  // namespace rooflab::record
