#pragma once

#include <filesystem>

namespace rooflab::task {

/// Whether a file is a table that Rooflab wrote as CSV, by the keys in its first line. Throws Error
/// (input) where it cannot be read.
[[nodiscard]] bool is_own_table(const std::filesystem::path& file);

/// Throws Error (input) for a table that Rooflab wrote as CSV, because it lacks parts of the
/// result.
void refuse_own_table(const std::filesystem::path& file);

}  // namespace rooflab::task
