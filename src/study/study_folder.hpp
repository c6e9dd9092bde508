#pragma once

#include <filesystem>

#include "run.hpp"
#include "study_origin.hpp"
#include "system/folder_lock.hpp"

namespace rooflab::study {

/// The folder of a study's results:
///
///     study.json      study and machine cases/ID.json   outcomes cases/ID.part-XXXXXX/   of the
///     running case runs/ID/        further files of train, scale and fit machines/ equal folders
///     of other machines (machine_folders.hpp)
///
/// Locked for a shard while this object lives: several shards share a folder.
class StudyFolder {
 public:
  /// Makes the folder if it is missing, and writes the origin of its results. Throws Error (input)
  /// when it belongs to another study, or a process is running this shard in it; Error (system)
  /// where it cannot be written.
  StudyFolder(std::filesystem::path path, const StudyOrigin& origin, Shard shard);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path cases() const { return path_ / "cases"; }

 private:
  std::filesystem::path path_;
  FolderLock lock_;
};

/// Path of the origin: `FOLDER/study.json`.
[[nodiscard]] std::filesystem::path origin_file(const std::filesystem::path& folder);

/// Writes the origin into the folder's `study.json`, unless that has it already. Parts that the
/// origin does not know are kept, and so are earlier capabilities of the same machine. Throws Error
/// (input) when the folder belongs to another study.
void record_origin(const std::filesystem::path& folder, const StudyOrigin& origin);

}  // namespace rooflab::study
