#include "process_facts.hpp"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "rooflab/base/text.hpp"

namespace rooflab::torch_worker {

Seconds process_age() {
  std::ifstream file("/proc/self/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  const std::vector<std::string> fields = split(std::string_view(text).substr(name_end + 2), ' ');
  constexpr std::size_t start_time = 19;  // field 22 of proc(5), counted from the third
  if (fields.size() <= start_time) return {};
  const double started =
      parse_number(fields[start_time]).value_or(0.0) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return {static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - started};
}

Bytes peak_resident() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return Bytes(static_cast<std::int64_t>(usage.ru_maxrss) * 1024);
}

}  // namespace rooflab::torch_worker
