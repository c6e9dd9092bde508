#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace rooflab {

/// A variable of this process's environment; nullopt when it is not set.
[[nodiscard]] std::optional<std::string> environment_variable(const char* name);

/// Path from a variable that names code to load; nullopt also where it is empty or not absolute,
/// because it would then be in the working folder.
[[nodiscard]] std::optional<std::filesystem::path> absolute_path(std::optional<std::string> value);

/// Path from an environment variable with which the user chooses code; nullopt where it is not set
/// or empty. Throws Error (usage) for a path that is not absolute.
[[nodiscard]] std::optional<std::filesystem::path> chosen_path(const char* variable);

}  // namespace rooflab
