#pragma once

#include <string>

namespace rooflab::counters {

/// Demangles a kernel's name. A name that is not mangled, or too long for the system's demangler
/// (1024 letters), is not changed.
[[nodiscard]] std::string readable_kernel_name(const std::string& symbol);

}  // namespace rooflab::counters
