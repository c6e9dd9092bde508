#pragma once

#include <filesystem>
#include <string_view>

namespace rooflab {

/// A file that grows by lines. Each line is passed to the system at once, so that it survives the
/// death of the process.
class LineFile {
 public:
  /// Makes the file if it is missing. A last line without an end, cut off by the death of its
  /// writer, is removed. Throws Error (system) where the file cannot be written.
  explicit LineFile(std::filesystem::path path);

  /// Appends a line and its end. Throws Error (system), and leaves no part of the line, where it
  /// cannot be written completely.
  void append(std::string_view line) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace rooflab
