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
  std::size_t done = 0;  ///< finished cases of this shard
  std::size_t all = 0;
  double done_share = 0.0;  ///< share of all cases, including a part of the running one
  double left_s = 0.0;      ///< estimate from the mean of the cases so far; 0: not known
  std::string running;      ///< id of the running case; empty: none
};

struct StudyRunOptions {
  std::filesystem::path program;  ///< `rooflab` itself
  std::filesystem::path folder;
  StudyOrigin origin;  ///< written into the folder
  /// Ids of cases that another machine has run as requested: they are not predicted here.
  std::set<std::string> elsewhere{};
  std::string version;
  Shard shard;
  bool again = false;      ///< repeat failed cases
  double timeout_s = 0.0;  ///< limit for one case; 0: none
  std::function<void(const StudyProgress&)> on_progress;
  std::function<bool()> should_stop;
};

struct StudyRun {
  std::vector<std::string> ran;  ///< ids of the cases that were run, in order
  std::size_t found = 0;         ///< number of earlier outcomes
  std::size_t failed = 0;        ///< number of failed cases, earlier ones included
  std::string first_failure;     ///< first failed case with its reason; empty: none
  bool stopped = false;
};

/// Runs the missing cases one after another, each in a separate process that may fail or die
/// without affecting the others. If it is killed at any moment, the next run continues after the
/// last case with a complete file. Throws Error (input) for a folder that is used by another study
/// or by another run in progress, and for an outcome that cannot be read; Error (system) where the
/// disk is full, here or in a case: the outcomes of the earlier cases are kept.
[[nodiscard]] StudyRun run_study(std::span<const PlannedCase> plan, const StudyRunOptions& options);

}  // namespace rooflab::study
