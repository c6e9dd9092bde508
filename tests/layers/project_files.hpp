#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rooflab::layers {

[[nodiscard]] bool is_project_file(const std::filesystem::path& path);

/// The content of a file of the project.
[[nodiscard]] std::string text_of(const std::filesystem::path& path);

/// Files below a folder, relative to the project.
[[nodiscard]] std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

}  // namespace rooflab::layers
