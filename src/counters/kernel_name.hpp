#pragma once

#include <string>

namespace rooflab::counters {

/// A kernel's name as its source has it. A name that is not mangled, or too long for the system's
/// demangler (1024 letters), stays as it is.
[[nodiscard]] std::string readable_kernel_name(const std::string& symbol);

}  // namespace rooflab::counters
