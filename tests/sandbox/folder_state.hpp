#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sandbox {

/// The files below a folder, by their path in it.
using FolderState = std::map<std::string, std::string>;

[[nodiscard]] FolderState read_folder(const std::filesystem::path& folder);

/// Replaces the content of a folder.
void write_folder(const std::filesystem::path& folder, const FolderState& state);

/// Files that are written by half: JSON or a line of JSON that does not parse (the last line of a
/// journal may be cut), a recording or a page without its end.
[[nodiscard]] std::vector<std::string> half_written(const FolderState& state);

/// Files whose names say that they should not have outlived the program that wrote them.
[[nodiscard]] std::vector<std::string> temporary_files(const FolderState& state);

}  // namespace sandbox
