#include "proc_stat.hpp"

#include <vector>

#include "base/format.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::monitor {

std::optional<ProcStat> parse_proc_stat(std::string_view line) {
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(')');
  if (open == line.npos || close == line.npos || close < open || close + 2 > line.size()) {
    return std::nullopt;
  }
  // Fields by their numbers in proc(5): 3 is the state, the first after the name.
  constexpr std::size_t first = 3;
  const std::vector<std::string> fields = split(trim(line.substr(close + 2)), ' ');
  const auto number = [&fields](std::size_t field) -> std::optional<std::int64_t> {
    return field - first < fields.size() ? parse_integer(fields[field - first]) : std::nullopt;
  };
  const auto parent = number(4);
  const auto user = number(14);
  const auto system = number(15);
  const auto child_user = number(16);
  const auto child_system = number(17);
  const auto start = number(22);
  if (!parent || !user || !system || !child_user || !child_system || !start ||
      fields[0].size() != 1) {
    return std::nullopt;
  }
  return ProcStat{.parent = static_cast<pid_t>(*parent),
                  .name = std::string(line.substr(open + 1, close - open - 1)),
                  .state = fields[0][0],
                  .task_ticks = *user + *system,
                  .waited_child_ticks = *child_user + *child_system,
                  .start_ticks = *start};
}

std::string read_proc_file(const std::string& path) {
  return read_file_if_possible(path).value_or("");
}

std::optional<ProcStat> read_proc_stat(pid_t pid) {
  return parse_proc_stat(read_proc_file(format("/proc/{}/stat", pid)));
}

}  // namespace rooflab::monitor
