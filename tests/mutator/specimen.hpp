#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "random_source.hpp"
#include "sandbox/child_run.hpp"
#include "sandbox/folder_state.hpp"
#include "subject.hpp"

namespace mutator {

struct Limits {
  std::chrono::seconds processor{20};  ///< time of the processor, which other load does not change
  std::size_t peak_bytes = 1'000'000'000;
  std::size_t address_bytes = 8'000'000'000;  ///< 0: none, as sanitizers need
};

/// A damaged file and the command that has read it.
struct Attempt {
  std::string file;
  std::vector<std::string> words;
  std::vector<std::string> problems;  ///< empty: the program did as it should
};

/// A subject whose files have been made, in a separate folder.
class Specimen {
 public:
  /// Runs the commands that make its files; throws std::runtime_error when one fails.
  Specimen(Subject subject, std::filesystem::path program, std::filesystem::path workers,
           std::filesystem::path folder, Limits limits);

  /// Damages a file and lets one command read it.
  [[nodiscard]] Attempt attempt(RandomSource& random);

  /// Keeps the files and the command of the last attempt.
  void keep(const std::filesystem::path& folder, const Attempt& attempt) const;

  [[nodiscard]] const Subject& subject() const { return subject_; }

 private:
  [[nodiscard]] sandbox::ChildEnd run(const std::filesystem::path& program,
                                      const std::vector<std::string>& words) const;
  void make_files();
  void damage(const std::string& file, RandomSource& random);

  Subject subject_;
  std::filesystem::path program_;
  std::filesystem::path workers_;
  std::filesystem::path folder_;
  Limits limits_;
  sandbox::FolderState sound_;
  sandbox::FolderState now_;
  std::vector<std::string> damaged_;  ///< files that are damaged
};

/// What a run of the program on a damaged file shows that it should not.
[[nodiscard]] std::vector<std::string> problems_of(const sandbox::ChildEnd& end, bool json,
                                                   const Limits& limits);

}  // namespace mutator
