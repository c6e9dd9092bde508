#pragma once

#include <string>

#include "rooflab/base/error.hpp"

namespace rooflab {

/// The text `this is a fault of Rooflab: WHAT` for an unexpected exception, with its message and
/// type, in a handler of last resort. It uses the exception that is being handled, or that ended a
/// thread.
[[nodiscard]] std::string fault_text();

/// The exception that is being handled, or that ended a thread, as an Error: an Error itself, `out
/// of memory`, or the system's message about a path; else fault_text() with the hint.
[[nodiscard]] Error error_at_hand(
    const std::string& hint_of_fault = "report it with this line, the version and the command");

}  // namespace rooflab
