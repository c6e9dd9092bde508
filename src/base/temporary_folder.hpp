#pragma once

#include <filesystem>
#include <string_view>

#include "file_descriptor.hpp"

namespace rooflab {

/// The place for temporary files: TMPDIR and its like, else /tmp. Throws Error (capability) naming
/// the variable when that is not a folder.
[[nodiscard]] std::filesystem::path temporary_place();

/// A folder of its own in that place, which only its user can enter. The destructor deletes it with
/// all its content, unless it is kept. The first one of a process also deletes those of processes
/// that were killed.
class TemporaryFolder {
 public:
  /// `purpose` is part of its name. Throws Error (system) when it cannot be made.
  explicit TemporaryFolder(std::string_view purpose);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }
  /// It stays, for the user.
  void keep();

 private:
  std::filesystem::path path_;
  FileDescriptor lock_;
  bool kept_ = false;
};

/// Deletes the folders that TemporaryFolder made in `place` for this user and that no living
/// process holds.
void remove_abandoned_folders(const std::filesystem::path& place);
/// The same in the place for temporary files, once in this process. Commands whose work may have
/// been killed call it, also where nothing is left for them to do.
void remove_abandoned_folders();

/// A file in that place without a name, to write and to read: it goes with its descriptor, however
/// the process ends. Throws Error (system).
[[nodiscard]] FileDescriptor unnamed_file();

}  // namespace rooflab
