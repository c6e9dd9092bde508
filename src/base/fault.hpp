#pragma once

#include <string>

#include "rooflab/base/error.hpp"

namespace rooflab {

/// `this is a fault of Rooflab: WHAT`, for a handler of last resort: what an exception says that no
/// code expected, and its type. The exception that is being handled, or that ended a thread.
[[nodiscard]] std::string fault_text();

/// What is being handled, or has ended a thread, as an Error: itself, `out of memory`, what the
/// system said of a path; else fault_text() with the hint of a fault.
[[nodiscard]] Error error_at_hand(
    const std::string& hint_of_fault = "report it with this line, the version and the command");

}  // namespace rooflab
