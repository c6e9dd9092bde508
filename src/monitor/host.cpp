#include "host.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>

#include "base/format.hpp"
#include "host_files.hpp"
#include "proc_stat.hpp"
#include "system/utc_time.hpp"

namespace rooflab::monitor {
namespace {

/// What follows the key and the separator in the first line that begins with the key.
std::optional<std::string> value_of(std::string_view file, std::string_view key, char separator) {
  for (const std::string& line : split(file, '\n')) {
    const std::size_t at = line.find(separator);
    if (at == line.npos || trim(std::string_view(line).substr(0, at)) != key) continue;
    return std::string(trim(std::string_view(line).substr(at + 1)));
  }
  return std::nullopt;
}

std::string machine_name() {
  utsname names{};
  return ::uname(&names) == 0 ? std::string(names.machine) : "unknown";
}

std::string host_name() {
  utsname names{};
  const std::string kernel =
      ::uname(&names) == 0 ? format("{} {}", names.sysname, names.release) : "unknown kernel";
  const std::optional<std::string> system = system_name_of(read_proc_file("/etc/os-release"));
  return system ? format("{}, {}", *system, kernel) : kernel;
}

}  // namespace

std::optional<std::string> model_name_of(std::string_view cpuinfo) {
  return value_of(cpuinfo, "model name", ':');
}

std::optional<std::int64_t> total_bytes_of(std::string_view meminfo) {
  const std::optional<std::string> text = value_of(meminfo, "MemTotal", ':');
  if (!text || !text->ends_with(" kB")) return std::nullopt;
  // The kernel writes kB for 1024 bytes: proc(5).
  const auto kibibytes = parse_integer(std::string_view(*text).substr(0, text->size() - 3));
  return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
}

std::optional<std::string> system_name_of(std::string_view os_release) {
  std::optional<std::string> name = value_of(os_release, "PRETTY_NAME", '=');
  if (name && name->size() >= 2 && name->front() == name->back() &&
      (name->front() == '"' || name->front() == '\'')) {
    return name->substr(1, name->size() - 2);
  }
  return name;
}

void describe_host(record::Environment& environment) {
  const record::DeviceIdentity cpu = cpu_identity();
  environment.date = utc_date();
  environment.host = host_name();
  environment.cpu = cpu.name;
  environment.logical_cpus = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  environment.host_memory = cpu.memory;
}

std::string utc_date() { return utc_time(std::time(nullptr)); }

record::DeviceIdentity cpu_identity() {
  record::DeviceIdentity cpu;
  cpu.kind = "cpu";
  cpu.name = model_name_of(read_proc_file("/proc/cpuinfo")).value_or(machine_name());
  if (const auto bytes = total_bytes_of(read_proc_file("/proc/meminfo"))) {
    cpu.memory = Bytes(*bytes);
  }
  return cpu;
}

}  // namespace rooflab::monitor
