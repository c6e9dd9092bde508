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

/// The beginning of a file is that of a profile (docs/formats/profile.md).
[[nodiscard]] bool is_profile(std::string_view head);

/// Reads the profile of one process into a record: `kernels`, `trace` for a trace, `counting` where
/// hardware counters were collected. Lines are read one by one; memory holds the columns of the
/// record, 40 bytes more a kernel while it is read, and one line. What cannot be read is counted in
/// `lost` with its line; a file that ends early, as that of a process that was killed, gives what
/// it holds and is `interrupted`. Throws Error (input) when the file cannot be read or is not
/// a profile.
///
/// `progress` is called now and then with the part of the file that is done, 0 to 1.
[[nodiscard]] record::Record read_profile(const std::filesystem::path& path,
                                          const std::function<void(double done)>& progress = {});

/// The same for a text in memory; `file` stands for it in messages.
[[nodiscard]] record::Record read_profile_text(std::string_view text, const std::string& file);

/// The profiles of one run: all in a folder, by rank and then by process. Other files are passed
/// over. Throws Error (input) where the folder or a profile cannot be read.
[[nodiscard]] std::vector<record::Record> read_profiles(const std::filesystem::path& folder);

/// Numbers of the processes of this machine that still write a profile into the folder: it has no
/// end yet, and they live.
[[nodiscard]] std::vector<std::int64_t> profiled_processes(const std::filesystem::path& folder);

}  // namespace rooflab::counters
