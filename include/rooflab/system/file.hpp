#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace rooflab {

/// A file that cmake/embed.cmake compiled into the program. Both views live as long as the program.
struct EmbeddedFile {
  std::string_view name = {};  ///< file name without folder
  std::string_view text = {};
};

/// The largest file that is read as a whole.
inline constexpr std::size_t largest_whole_file = std::size_t{4} << 30U;

/// Reads a whole file. Throws Error (input) with the path and the system's reason where it cannot
/// be read to its end, is not a regular file or has more than `limit` bytes.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::size_t limit = largest_whole_file);

/// Reads a file of the system that may be missing, such as one of /proc; nullopt: it cannot be
/// read.
[[nodiscard]] std::optional<std::string> read_file_if_possible(const std::filesystem::path& path);

/// Ending of the name of a file that is being written.
inline constexpr std::string_view part_ending = ".rooflab.part";

/// Writes to a temporary file in the same folder and renames it: a reader sees the old or the new
/// file and never a part, and one of two writers wins. The temporary name ends in part_ending;
/// leftovers of a killed writer of this file are removed. A link is replaced, not followed; pipes,
/// devices and /dev/stdout are written directly. Throws Error (system) and leaves nothing behind on
/// failure.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);
/// Writes a file atomically with content that `write` puts into the stream, for content too large
/// for memory. Throws Error (system) and leaves nothing behind on failure.
void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream& stream)>& write);

/// Throws Error (system) where writing the file would fail now; changes nothing.
void check_writable(const std::filesystem::path& path);

}  // namespace rooflab
