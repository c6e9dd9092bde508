#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace rooflab {

/// A variable of this process's environment; nullopt when it is not set.
[[nodiscard]] std::optional<std::string> environment_variable(const char* name);

/// What a variable names of which code is loaded: nullopt also where the name is not absolute, and
/// so would be one in the working folder. An empty one is such a name.
[[nodiscard]] std::optional<std::filesystem::path> absolute_path(std::optional<std::string> value);

/// The same of a variable of this process that the user sets to choose code: nullopt where it is not
/// set or empty. Throws Error (usage) for a name that is not absolute.
[[nodiscard]] std::optional<std::filesystem::path> chosen_path(const char* variable);

}  // namespace rooflab
