#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace rooflab {

/// A file that cmake/embed.cmake compiled into the program. Both views live as long as the program.
struct EmbeddedFile {
  std::string_view name;  ///< file name without folder
  std::string_view text;
};

/// Opens a file to be read as bytes; throws Error (input) with the path and the system's reason.
[[nodiscard]] std::ifstream open_to_read(const std::filesystem::path& path);

/// The whole file; throws Error (input) with the path and the system's reason.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// Writes to a temporary neighbour and renames it, so that a reader sees the old or the new file
/// and never a part. Throws Error (system) and leaves nothing behind on failure.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);
/// The same, with `write` writing into the stream, for content too large to hold at once.
void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream& stream)>& write);

/// Throws Error (system) where writing the file would fail already now, and changes nothing.
void check_writable(const std::filesystem::path& path);

}  // namespace rooflab
