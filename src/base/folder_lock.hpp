#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "file_descriptor.hpp"

namespace rooflab {

/// Keeps a second process from working on the same results. The kernel frees the lock when its
/// process dies, in whatever way; a lock file that stays behind then locks nothing.
class FolderLock {
 public:
  /// Locks a folder, which is made where it is not there, or only one `part` of it: different parts
  /// do not exclude each other. Throws Error (system) where nothing can be written into it, and
  /// Error (input) when another process has it.
  explicit FolderLock(const std::filesystem::path& folder, std::string_view part = {});
  /// Locks one file, and files beside it whose names begin with its own.
  [[nodiscard]] static FolderLock of_file(const std::filesystem::path& file);

  /// Parts of a folder that a process has locked, this one included.
  [[nodiscard]] static std::vector<std::string> parts_in_use(const std::filesystem::path& folder);

  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  FolderLock(FolderLock&&) = default;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  struct Place {
    std::filesystem::path lock_file;
    std::filesystem::path subject;  ///< what errors name
    std::string_view instead;       ///< what a second run can take
  };
  explicit FolderLock(Place place);

  std::filesystem::path lock_file_;
  FileDescriptor file_;
};

}  // namespace rooflab
