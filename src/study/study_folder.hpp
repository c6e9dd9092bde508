#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "rooflab/study/run.hpp"

namespace rooflab::study {

/// The folder of a study's results:
///
///     study.json      whose it is
///     cases/ID.json   outcomes
///     runs/ID/        what train, scale and fit keep besides
///
/// Locked for a shard as long as this lives; a process that dies leaves no lock behind.
class StudyFolder {
 public:
  /// Makes it where it is not there. Throws Error (input) when it is another study's, or a process
  /// is running this shard in it.
  StudyFolder(std::filesystem::path path, const std::string& title, Shard shard);
  ~StudyFolder();
  StudyFolder(const StudyFolder&) = delete;
  StudyFolder& operator=(const StudyFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

/// The title of the study whose folder it is. Throws Error (input) where it is none.
[[nodiscard]] std::string title_of_folder(const std::filesystem::path& folder);

/// Writes `study.json` where there is none. Throws Error (input) when it is another study's.
void take_folder(const std::filesystem::path& folder, const std::string& title);

}  // namespace rooflab::study
