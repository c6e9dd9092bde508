#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace rooflab {

/// A variable of this process's environment; nullopt when it is not set.
[[nodiscard]] std::optional<std::string> environment_variable(const char* name);

/// The same of a variable that names a folder from which code is loaded: nullopt also where the
/// name is not absolute, and so would be one in the working folder. An empty one is such a name.
[[nodiscard]] std::optional<std::filesystem::path> absolute_folder(const char* variable);

}  // namespace rooflab
