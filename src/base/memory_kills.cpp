#include "memory_kills.hpp"

#include <fstream>
#include <sstream>

#include "rooflab/base/text.hpp"

namespace rooflab {

std::optional<std::int64_t> memory_kills(std::string_view vmstat) {
  constexpr std::string_view key = "oom_kill ";
  for (const std::string& line : split(vmstat, '\n')) {
    if (line.starts_with(key)) return parse_integer(trim(line.substr(key.size())));
  }
  return std::nullopt;
}

std::optional<std::int64_t> memory_kills_here() {
  std::ifstream file("/proc/vmstat");
  std::ostringstream text;
  text << file.rdbuf();
  return memory_kills(text.view());
}

}  // namespace rooflab
