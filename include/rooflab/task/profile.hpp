#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/result_set.hpp"
#include "rooflab/findings/findings.hpp"
#include "rooflab/profile/profile_request.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Request to profile the kernels of any CUDA program: time, FLOPs, bytes.
struct ProfileRequest {
  static constexpr std::string_view command = "profile";

  std::vector<std::string> program = {};  ///< command with its arguments
  profile::ProfileMode mode = profile::ProfileMode::kernels;
  profile::ProfileWindow window = {};
  profile::StepRule step = {};
  bool no_counters = false;  ///< only times of steps
  double interval = 1.0;     ///< length of a sample in ms
  profile::Overhead overhead = {};
  std::string keep = {};  ///< folder for the files of the processes; empty: they are deleted
  std::uint64_t limit = profile::ProfileRequest().limit;
  DeviceFiles device_files = {};
};
const Parameters& parameters_of(For<ProfileRequest>);

/// Folder of the files that the processes write.
class ProfileFolder;

struct ProfileResult {
  analyze::ResultSet recorded = {};          ///< has `imported`, one per process, and their `job`
  findings::ImportedFindings findings = {};  ///< what costs the time of the recordings
  int exit_code = 0;                         ///< exit code of the program
  /// Folder of the profile; if an exception destroys it, the files are kept and a message names it.
  std::shared_ptr<const ProfileFolder> folder = {};
};

/// Runs and profiles a program, whose terminal, input, output and signals are not changed. Throws
/// Error (usage, input, capability) before it starts, NotStarted, and Error (input) for files that
/// cannot be read.
[[nodiscard]] ProfileResult run(const ProfileRequest& request, Session& session);

}  // namespace rooflab::task
