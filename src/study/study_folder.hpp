#pragma once

#include <filesystem>

#include "run.hpp"
#include "study_origin.hpp"

namespace rooflab::study {

/// What keeps a second process from running the same shard of a study in the same folder. A process
/// that dies leaves no lock behind.
class ShardLock {
 public:
  /// Throws Error (input) when another process has it.
  ShardLock(const std::filesystem::path& folder, Shard shard);
  ~ShardLock();
  ShardLock(const ShardLock&) = delete;
  ShardLock& operator=(const ShardLock&) = delete;

 private:
  int file_ = -1;
};

/// The folder of a study's results:
///
///     study.json      whose it is, and of which machine
///     cases/ID.json   outcomes
///     runs/ID/        what train, scale and fit keep besides
///
/// Locked for a shard as long as this lives.
class StudyFolder {
 public:
  /// Makes it where it is not there, and lets it say where its results come from now. Throws Error
  /// (input) when it is another study's, or a process is running this shard in it.
  StudyFolder(std::filesystem::path path, const StudyOrigin& origin, Shard shard);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  ShardLock lock_;
};

/// `FOLDER/study.json`.
[[nodiscard]] std::filesystem::path origin_file(const std::filesystem::path& folder);

/// Makes the folder where it is not there; returns it. Throws Error (input) when it is another
/// study's.
const std::filesystem::path& make_folder(const std::filesystem::path& folder,
                                         const std::string& title);

/// Puts the origin into the folder's `study.json`, unless that says so already; what the origin
/// does not know stays as it is. Throws Error (input) when it is another study's.
void record_origin(const std::filesystem::path& folder, const StudyOrigin& origin);

}  // namespace rooflab::study
