#pragma once

#include <filesystem>
#include <string_view>

namespace rooflab {

/// A file that grows by lines, each with the system as soon as it is written, so that it outlives
/// the process.
class LineFile {
 public:
  /// Makes the file where it is not there. A last line without its end was cut off by the death of
  /// its writer: it is removed. Throws Error (system) where the file cannot be written.
  explicit LineFile(std::filesystem::path path);

  /// Appends a line; its end is added. Throws Error (system), and leaves no part of it, where it
  /// cannot be written whole.
  void append(std::string_view line) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace rooflab
