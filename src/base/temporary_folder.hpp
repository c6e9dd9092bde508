#pragma once

#include <filesystem>
#include <string_view>

namespace rooflab {

/// A folder of its own in the system's place for temporary files. The destructor deletes it with
/// all its content, unless it is kept.
class TemporaryFolder {
 public:
  /// `purpose` is part of its name. Throws Error (capability) when it cannot be made.
  explicit TemporaryFolder(std::string_view purpose);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }
  void keep() { kept_ = true; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

}  // namespace rooflab
