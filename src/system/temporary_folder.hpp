#pragma once

#include <filesystem>
#include <string_view>

#include "file_descriptor.hpp"

namespace rooflab {

/// Folder for temporary files: TMPDIR or a similar variable, else /tmp. Throws Error (capability)
/// that names the variable when its value is not a folder.
[[nodiscard]] std::filesystem::path temporary_place();

/// A new folder in temporary_place() that only its user can enter. The destructor deletes it with
/// all its content, unless it is kept. The first one of a process also deletes folders of killed
/// processes.
class TemporaryFolder {
 public:
  /// Makes the folder; `purpose` is part of its name. Throws Error (system) when it cannot be made.
  explicit TemporaryFolder(std::string_view purpose);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }
  /// Keeps the folder for the user.
  void keep();

 private:
  std::filesystem::path path_;
  FileDescriptor lock_;
  bool kept_ = false;
};

/// Deletes the folders that TemporaryFolder made in `place` for this user and that no living
/// process holds.
void remove_abandoned_folders(const std::filesystem::path& place);
/// Deletes abandoned folders in temporary_place(), once per process. Commands whose earlier run may
/// have been killed call it, even if they have nothing else to do.
void remove_abandoned_folders();

/// Opens a file without a name in temporary_place() for writing and reading. It disappears with its
/// descriptor when the process ends for any reason. Throws Error (system).
[[nodiscard]] FileDescriptor unnamed_file();

}  // namespace rooflab
