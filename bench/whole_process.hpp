#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace rooflab::bench {

/// What a finished process took.
struct ProcessUse {
  bool ran = false;       ///< started and left with exit code 0
  double time_s = 0.0;    ///< from before the start until after the end
  double cpu_s = 0.0;     ///< processor time, its children's too
  long peak_rss_kib = 0;  ///< peak of that process alone
};

/// The program of this build: `../bin/rooflab` from this benchmark's folder, or $ROOFLAB.
inline std::string program() {
  if (const char* chosen = std::getenv("ROOFLAB")) return chosen;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  return (self.parent_path().parent_path() / "bin" / "rooflab").string();
}

/// Runs it with its output and errors thrown away.
inline ProcessUse run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int stream : {1, 2}) {
    ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  }
  ProcessUse use;
  pid_t child = 0;
  const auto start = std::chrono::steady_clock::now();
  const int failed =
      ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return use;
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child) return use;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  use.ran = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  use.time_s = elapsed.count();
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  use.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  use.peak_rss_kib = usage.ru_maxrss;
  return use;
}

}  // namespace rooflab::bench
