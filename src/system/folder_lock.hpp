#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "file_descriptor.hpp"

namespace rooflab {

/// Keeps a second process from working on the same results. The kernel frees the lock when its
/// process ends for any reason; a remaining lock file does not lock anything.
class FolderLock {
 public:
  /// Locks a folder, which is made if it is missing, or only one `part` of it; different parts do
  /// not exclude each other. Throws Error (system) where the folder cannot be written, and Error
  /// (input) when another process has the lock.
  explicit FolderLock(const std::filesystem::path& folder, std::string_view part = {});
  /// Locks one file, and files in its folder whose names begin with its name.
  [[nodiscard]] static FolderLock of_file(const std::filesystem::path& file);

  /// Parts of a folder that any process has locked, including this one.
  [[nodiscard]] static std::vector<std::string> parts_in_use(const std::filesystem::path& folder);

  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  FolderLock(FolderLock&&) = default;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  struct Place {
    std::filesystem::path lock_file;
    std::filesystem::path subject;  ///< subject of errors
    std::string_view instead;       ///< alternative for a second run
  };
  explicit FolderLock(Place place);

  std::filesystem::path lock_file_;
  FileDescriptor file_;
};

}  // namespace rooflab
