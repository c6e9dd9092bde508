#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace rooflab::study {

/// What the process of a case reads and writes while it runs: `cases/ID.part-XXXXXX/`. It goes with
/// this, in whatever way the case ends.
class CaseFolder {
 public:
  /// Beside the case's outcome. Throws Error (system).
  explicit CaseFolder(const std::filesystem::path& outcome);
  ~CaseFolder();
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;

  [[nodiscard]] std::filesystem::path request() const { return path_ / "request.json"; }
  [[nodiscard]] std::filesystem::path result() const { return path_ / "result.json"; }

 private:
  std::filesystem::path path_;
};

/// Removes what a study that was killed left in `cases` of cases with these ids; nobody else may
/// run them.
void remove_left_parts(const std::filesystem::path& cases, const std::set<std::string>& ids);

}  // namespace rooflab::study
