#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/record/record.hpp"

namespace rooflab::counters {

/// Whether a file begins like a profile (docs/formats/profile.md).
[[nodiscard]] bool is_profile(std::string_view head);

/// Reads the profile of one process into a record: `kernels`, `trace` for a trace, `counting` where
/// hardware counters were collected. Lines are read one by one; memory holds the columns of the
/// record, 40 more bytes per kernel while reading, and one line. Unreadable lines are counted in
/// `lost`; a file that ends early, as that of a killed process, gives its content with the status
/// `interrupted`. Throws Error (input) when the file cannot be read or is not a profile.
///
/// `progress` is called from time to time with the share of the file that is done, 0 to 1.
[[nodiscard]] record::Record read_profile(const std::filesystem::path& path,
                                          const std::function<void(double done)>& progress = {});

/// Reads a profile from a text in memory; `file` names it in messages. Throws as read_profile().
[[nodiscard]] record::Record read_profile_text(std::string_view text, const std::string& file);

/// Reads the profiles of one run: all in a folder, by rank and then by process. Other files are
/// ignored. Throws Error (input) where the folder or a profile cannot be read.
[[nodiscard]] std::vector<record::Record> read_profiles(const std::filesystem::path& folder);

/// Ids of the living processes of this machine that still write a profile into the folder.
[[nodiscard]] std::vector<std::int64_t> profiled_processes(const std::filesystem::path& folder);

}  // namespace rooflab::counters
