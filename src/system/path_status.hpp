#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "rooflab/base/error.hpp"

// Status of paths. std::filesystem's functions with an error code treat an inaccessible path as
// missing, and those without one throw their own exceptions.

namespace rooflab {

/// Type and permissions of the file at a path; `not_found` where it is missing. Throws Error
/// (input) with the system's reason for an inaccessible path.
[[nodiscard]] std::filesystem::file_status status_of(const std::filesystem::path& path);

[[nodiscard]] bool is_there(const std::filesystem::path& path);
[[nodiscard]] bool is_folder(const std::filesystem::path& path);
[[nodiscard]] bool is_file(const std::filesystem::path& path);

/// The files of a folder with that extension (`.json`), by name. Throws Error (input) for an entry
/// that the system cannot look at.
[[nodiscard]] std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                                          std::string_view extension);

/// Makes the folder and its missing parents. Throws Error (system).
void make_folders(const std::filesystem::path& folder);

/// Error (input) for a path that cannot be used, with the system's reason, which may be unknown.
[[nodiscard]] Error unusable(const std::filesystem::path& path, std::error_code reason);

}  // namespace rooflab
