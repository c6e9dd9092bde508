#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rooflab::monitor {

/// What /proc/PID/stat says that is of use here. Times are in clock ticks.
struct ProcStat {
  pid_t parent = 0;
  std::string name;             ///< at most 15 letters of the program's file name
  char state = '?';             ///< `Z`: ended, not yet waited for
  std::int64_t task_ticks = 0;  ///< user and system time of the process itself
  std::int64_t waited_child_ticks =
      0;                         ///< ticks of its ended children and of those they waited for
  std::int64_t start_ticks = 0;  ///< since boot; tells a process from an earlier one's pid
};

/// One line of proc(5)'s form; nullopt when it is not. The name stands in parentheses and may hold
/// any characters, parentheses and blanks among them: it ends at the last one.
[[nodiscard]] std::optional<ProcStat> parse_proc_stat(std::string_view line);

/// State of a process; nullopt if it does not exist.
[[nodiscard]] std::optional<ProcStat> read_proc_stat(pid_t pid);

/// A whole file of /proc, empty when it is not there (any more).
[[nodiscard]] std::string read_proc_file(const std::string& path);

}  // namespace rooflab::monitor
