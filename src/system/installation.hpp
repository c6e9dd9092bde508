#pragma once

#include <filesystem>
#include <vector>

namespace rooflab {

/// Folders above `bin`, `libexec` and `share` where this Rooflab may be installed, best first: the
/// one above the folder of the running program, then those that the library was built for.
[[nodiscard]] std::vector<std::filesystem::path> installation_prefixes();

}  // namespace rooflab
