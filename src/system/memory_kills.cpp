#include "memory_kills.hpp"

#include "rooflab/base/text.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab {

std::optional<std::int64_t> memory_kills(std::string_view vmstat) {
  constexpr std::string_view key = "oom_kill ";
  for (const std::string& line : split(vmstat, '\n')) {
    if (line.starts_with(key)) return parse_integer(trim(line.substr(key.size())));
  }
  return std::nullopt;
}

std::optional<std::int64_t> memory_kills_here() {
  const std::optional<std::string> vmstat = read_file_if_possible("/proc/vmstat");
  return vmstat ? memory_kills(*vmstat) : std::nullopt;
}

}  // namespace rooflab
