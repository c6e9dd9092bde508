#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/parameter.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// GPUs, and a command with its descendants, while it runs.
struct MonitorRequest {
  static constexpr std::string_view command = "monitor";

  std::vector<std::string> program;         ///< what to run, with its arguments; empty: nothing
  std::vector<std::string> device{"all"};   ///< GPUs by number; or `all`, or `none`
  double period = 0.1;                      ///< seconds
  std::optional<double> duration;           ///< seconds; nullopt: until a signal, or the end
  std::string from;                         ///< read this record instead
  std::vector<std::filesystem::path> keep;  ///< files of the record, written while it grows, too
};
const Parameters& parameters_of(For<MonitorRequest>);

struct MonitorResult {
  record::Record record;
  int exit_code = 0;  ///< exit code of the command
};

/// SIGINT, SIGTERM and SIGHUP end the recording, and go to the command, if any. Throws Error
/// (usage, input, capability) before anything starts, and NotStarted.
[[nodiscard]] MonitorResult run(const MonitorRequest& request, Session& session);

}  // namespace rooflab::task
