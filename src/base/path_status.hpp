#pragma once

#include <filesystem>
#include <system_error>

#include "rooflab/base/error.hpp"

// What lies at a path. std::filesystem's functions with an error code take a path that the system
// cannot look at for one where nothing lies, and those without throw errors of their own.

namespace rooflab {

/// The type and permissions of what a path leads to; `not_found` where nothing lies. Throws Error
/// (input) with the system's reason when it cannot tell.
[[nodiscard]] std::filesystem::file_status status_of(const std::filesystem::path& path);

[[nodiscard]] bool is_there(const std::filesystem::path& path);
[[nodiscard]] bool is_folder(const std::filesystem::path& path);
[[nodiscard]] bool is_file(const std::filesystem::path& path);

/// Makes the folder and those above it, where they are missing. Throws Error (system).
void make_folders(const std::filesystem::path& folder);

/// The error (input) that says why the system does not let us use a path, which may be unknown.
[[nodiscard]] Error unusable(const std::filesystem::path& path, std::error_code reason);

}  // namespace rooflab
