#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace rooflab::study {

/// Folder of files that the process of a case reads and writes while it runs:
/// `cases/ID.part-XXXXXX/`. The destructor deletes it, however the case ends.
class CaseFolder {
 public:
  /// Makes the folder next to the case's outcome. Throws Error (system).
  explicit CaseFolder(const std::filesystem::path& outcome);
  ~CaseFolder();
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;

  [[nodiscard]] std::filesystem::path request() const { return path_ / "request.json"; }
  [[nodiscard]] std::filesystem::path result() const { return path_ / "result.json"; }

 private:
  std::filesystem::path path_;
};

/// Removes the folders that a killed study left in `cases` for these ids; no other process may run
/// these cases.
void remove_left_parts(const std::filesystem::path& cases, const std::set<std::string>& ids);

}  // namespace rooflab::study
