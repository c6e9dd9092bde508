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
  std::vector<std::string> words;          ///< program (found by PATH if without '/') and arguments
  std::vector<std::string> variables;      ///< environment, `NAME=VALUE`
  std::array<int, 3> streams = {0, 1, 2};  ///< descriptors for input, output and errors
  bool own_group = false;                  ///< start in a separate process group
  /// The child is killed when this process ends, for any reason. The kernel watches the calling
  /// thread, which therefore must live until the child was waited for.
  bool ends_with_us = false;
  std::vector<int> default_signals = {};      ///< signals with their default action in the child
  std::vector<int> ignored_signals = {};      ///< signals that the child ignores
  std::optional<sigset_t> blocked_signals{};  ///< nullopt: those of the calling thread
};

struct StartedProcess {
  pid_t pid = -1;
  int error = 0;  ///< errno of a failed start; 0: started
};

/// Starts a program without a shell. The caller must wait for a started program.
[[nodiscard]] StartedProcess start_process(const ProcessStart& start);

}  // namespace rooflab
