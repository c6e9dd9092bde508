#pragma once

#include <string>

namespace rooflab {

/// `this is a fault of Rooflab: WHAT`, for a handler of last resort: what an exception says that no
/// code expected, and its type. The exception that is being handled, or that ended a thread.
[[nodiscard]] std::string fault_text();

}  // namespace rooflab
