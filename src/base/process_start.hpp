#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace rooflab {

/// A program to start as a child of this process.
struct ProcessStart {
  std::vector<std::string> words;          ///< the program, with PATH if without '/'; its arguments
  std::vector<std::string> variables;      ///< its environment, `NAME=VALUE`
  std::array<int, 3> streams = {0, 1, 2};  ///< descriptors of its input, output and errors
  bool own_group = false;                  ///< a process group of its own
  /// The child is killed when this process ends, for any reason. The kernel
  /// watches the calling thread, which therefore has to live until the child was waited for.
  bool ends_with_us = false;
  std::vector<int> default_signals = {};      ///< signals with their default action in the child
  std::vector<int> ignored_signals = {};      ///< signals that the child ignores
  std::optional<sigset_t> blocked_signals{};  ///< nullopt: those of the calling thread
};

struct StartedProcess {
  pid_t pid = -1;
  int error = 0;  ///< the system's number of why it was not started; 0: it was
};

/// Starts a program without a shell. To be waited for by the caller if it was started.
[[nodiscard]] StartedProcess start_process(const ProcessStart& start);

}  // namespace rooflab
