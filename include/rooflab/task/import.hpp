#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/result_set.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// What other tools recorded, and how much of a network's work it holds.
struct ImportRequest {
  static constexpr std::string_view command = "import";

  std::vector<std::string> files;  ///< and folders of them
  std::string check;               ///< the network that ran; empty: nothing is checked
  NetworkSettings network;         ///< but its precision
  /// What ran, where the files do not say: one for all, or one for each file.
  std::vector<std::string> device;
  std::vector<std::string> model;
  /// The program's; with its device it may rule out that tensor cores worked.
  std::optional<Precision> precision;
  std::string ncu_command;  ///< instead of reading: for this device or compute capability
  DeviceFiles device_files;
};
const Parameters& parameters_of(For<ImportRequest>);

struct ImportResult {
  analyze::ResultSet recorded;  ///< `imported` and their `job`
  std::string ncu_command;      ///< the command line that collects everything

  /// Nothing was lost, and the check passed.
  [[nodiscard]] bool complete() const;
};

/// Throws Error (usage, input; capability where a report needs an ncu that is not here).
[[nodiscard]] ImportResult run(const ImportRequest& request, Session& session);

}  // namespace rooflab::task
