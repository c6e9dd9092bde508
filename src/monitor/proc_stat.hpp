#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rooflab::monitor {

/// The used facts of /proc/PID/stat. Times are in clock ticks.
struct ProcStat {
  pid_t parent = 0;
  std::string name;             ///< at most 15 letters of the program's file name
  char state = '?';             ///< `Z`: ended, not yet waited for
  std::int64_t task_ticks = 0;  ///< user and system time of the process itself
  std::int64_t waited_child_ticks =
      0;                         ///< ticks of its ended children and their waited-for children
  std::int64_t start_ticks = 0;  ///< since boot; distinguishes processes with equal pids
};

/// Parses one line in the form of proc(5); nullopt for another form. The name is in parentheses and
/// may contain any characters, also parentheses and blanks: it ends at the last parenthesis.
[[nodiscard]] std::optional<ProcStat> parse_proc_stat(std::string_view line);

/// State of a process; nullopt if it does not exist.
[[nodiscard]] std::optional<ProcStat> read_proc_stat(pid_t pid);

/// Content of a file of /proc; empty when it does not exist (any more).
[[nodiscard]] std::string read_proc_file(const std::string& path);

}  // namespace rooflab::monitor
