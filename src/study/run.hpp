#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "case_file.hpp"
#include "plan.hpp"
#include "study_origin.hpp"

namespace rooflab::study {

/// The i-th of n parts, counted from 1: every n-th case.
struct Shard {
  int index = 1;
  int count = 1;
};

struct StudyProgress {
  std::size_t done = 0;  ///< cases of this shard that need no more
  std::size_t all = 0;
  double done_share = 0.0;  ///< share of all, the running one in part
  double left_s = 0.0;      ///< estimate from the mean of those run so far; 0: not known
  std::string running;      ///< id; empty: nothing
};

struct StudyRunOptions {
  std::filesystem::path program;  ///< `rooflab` itself
  std::filesystem::path folder;
  StudyOrigin origin;  ///< that the folder is to say of itself
  /// Ids of cases that another machine has run as the study asks for them: nothing is predicted in
  /// their place.
  std::set<std::string> elsewhere{};
  std::string version;
  Shard shard;
  bool again = false;      ///< cases that failed are run once more
  double timeout_s = 0.0;  ///< limit for one case; 0: none
  std::function<void(const StudyProgress&)> on_progress;
  std::function<bool()> should_stop;
};

struct StudyRun {
  std::vector<std::string> ran;  ///< ids, in order
  std::size_t found = 0;         ///< that were there already
  std::size_t failed = 0;        ///< those of both that `again` runs once more
  std::string first_failure;     ///< the first of these, and why; empty: none failed
  bool stopped = false;
};

/// Runs what is missing, one case after another, each as a process of its own that may fail or
/// die without harm to the others. Killed at any moment, the next run goes on behind the last case
/// whose file is whole. Throws Error (input) for a folder that another study, or the same in
/// another run that is going on, has taken, and for an outcome that cannot be read; Error (system)
/// where the disk is full, for us or for a case: the outcomes of the cases before are there.
[[nodiscard]] StudyRun run_study(std::span<const PlannedCase> plan, const StudyRunOptions& options);

}  // namespace rooflab::study
