#pragma once

#include <filesystem>

#include "base/folder_lock.hpp"
#include "run.hpp"
#include "study_origin.hpp"

namespace rooflab::study {

/// The folder of a study's results:
///
///     study.json      whose it is, and of which machine
///     cases/ID.json   outcomes
///     cases/ID.part-XXXXXX/   of the case that runs
///     runs/ID/        what train, scale and fit keep besides
///     machines/       folders of the same kind, of other machines (machine_folders.hpp)
///
/// Locked for a shard as long as this lives: several shards share a folder.
class StudyFolder {
 public:
  /// Makes it where it is not there, and lets it say where its results come from now. Throws Error
  /// (input) when it is another study's, or a process is running this shard in it; Error (system)
  /// where it cannot be written.
  StudyFolder(std::filesystem::path path, const StudyOrigin& origin, Shard shard);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path cases() const { return path_ / "cases"; }

 private:
  std::filesystem::path path_;
  FolderLock lock_;
};

/// `FOLDER/study.json`.
[[nodiscard]] std::filesystem::path origin_file(const std::filesystem::path& folder);

/// Puts the origin into the folder's `study.json`, unless that says so already; what the origin
/// does not know stays as it is, and so does what the same machine could do before. Throws Error
/// (input) when it is another study's.
void record_origin(const std::filesystem::path& folder, const StudyOrigin& origin);

}  // namespace rooflab::study
