#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/result_set.hpp"
#include "rooflab/findings/findings.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// Request to import recordings of other tools, and to check how much of a network's work they
/// have.
struct ImportRequest {
  static constexpr std::string_view command = "import";

  std::vector<std::string> files = {};  ///< files and folders of files
  std::string check = {};               ///< the network that ran; empty: nothing is checked
  NetworkSettings network = {};         ///< its precision is not used
  /// Device that ran, for files that do not name it: one for all, or one per file.
  std::vector<std::string> device = {};
  std::vector<std::string> model = {};
  /// Precision of the program; together with the device it can rule out tensor-core work.
  std::optional<Precision> precision = {};
  std::string ncu_command = {};  ///< device or compute capability to print ncu's command line for
  DeviceFiles device_files = {};
};
const Parameters& parameters_of(For<ImportRequest>);

struct ImportResult {
  analyze::ResultSet recorded = {};          ///< has `imported` and their `job`
  findings::ImportedFindings findings = {};  ///< what costs the time of the recordings
  std::string ncu_command = {};              ///< command line that collects everything

  /// Whether nothing was lost and the check passed.
  [[nodiscard]] bool complete() const;
};

/// Imports files. Throws Error (usage, input), and Error (capability) where a report needs an ncu
/// that is not installed.
[[nodiscard]] ImportResult run(const ImportRequest& request, Session& session);

}  // namespace rooflab::task
