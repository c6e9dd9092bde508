// What files tell about counters.
//
// /proc/driver/nvidia/params lists the driver's parameters, `RmProfilingAdminOnly: 1` among them,
// which NVreg_RestrictProfilingToAdminUsers of the kernel module sets (1 unless told otherwise).
// Then CAP_SYS_ADMIN is needed, or from driver R565 on CAP_PERFMON (NVIDIA, ERR_NVGPUCTRPERM).
// CapEff of /proc/self/status has them as bits 21 and 38 (linux/capability.h).
//
// CUPTI comes with the toolkit and, as nvidia/cuda_cupti/lib (from CUDA 13 on nvidia/cu13/lib),
// with the Python packages that PyTorch installs. It loads libnvperf_host.so by its bare name.

#include "counter_access.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/format.hpp"
#include "profile/counter_fault.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "system/environment_variable.hpp"

namespace rooflab::counters {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view library_name = "libcupti.so";

/// What follows `KEY:` at the beginning of a line.
std::optional<std::string> value_of(std::string_view key, const std::string& text) {
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ':') {
      return std::string(trim(std::string_view(line).substr(key.size() + 1)));
    }
  }
  return std::nullopt;
}

std::uint64_t effective_capabilities(const std::string& status) {
  const std::string hexadecimal = value_of("CapEff", status).value_or("");
  std::uint64_t bits = 0;
  const char* const end = hexadecimal.data() + hexadecimal.size();
  const auto [rest, fault] = std::from_chars(hexadecimal.data(), end, bits, 16);
  return fault == std::errc{} && rest == end ? bits : 0;
}

/// What lies in a folder by names that begin so, highest number first: `cuda-13.0`, `cuda-9.2`.
std::vector<fs::path> numbered(const fs::path& folder, std::string_view beginning) {
  struct Numbered {
    double number;
    fs::path path;
  };
  std::vector<Numbered> found;
  std::error_code ignored;
  for (auto entry = fs::directory_iterator(folder, ignored); entry != fs::directory_iterator();
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(beginning)) continue;
    if (const auto number = parse_number(std::string_view(name).substr(beginning.size()))) {
      found.push_back({*number, entry->path()});
    }
  }
  std::ranges::sort(found, std::greater<>(), &Numbered::number);
  std::vector<fs::path> paths;
  paths.reserve(found.size());
  for (Numbered& each : found) paths.push_back(std::move(each.path));
  return paths;
}

void add_toolkit(const fs::path& toolkit, std::vector<fs::path>& folders) {
  for (const char* inner :
       {"lib64", "extras/CUPTI/lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    folders.push_back(toolkit / inner);
  }
}

/// PREFIX/lib/python3.N/site-packages/nvidia/* of PREFIX/bin/python3. A virtual environment's
/// python3 is a link, so that links are not followed.
void add_python_packages(const std::string& path, std::vector<fs::path>& folders) {
  for (const std::string& bin : split(path, ':')) {
    std::error_code ignored;
    if (!fs::path(bin).is_absolute() || !fs::exists(fs::path(bin) / "python3", ignored)) continue;
    const fs::path lib = fs::path(bin).parent_path() / "lib";
    for (const fs::path& python : numbered(lib, "python3.")) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        for (const char* inner : {"nvidia/cu13/lib", "nvidia/cuda_cupti/lib"}) {
          folders.push_back(python / packages / inner);
        }
      }
    }
    return;
  }
}

/// libcupti.so.N with the highest N.
std::optional<fs::path> library_in(const fs::path& folder) {
  // Versions of one major number are links to one another: `.13` and `.2025.3.1`.
  const std::vector<fs::path> found = numbered(folder, format("{}.", library_name));
  for (const fs::path& file : found) {
    const std::string number = file.filename().string().substr(library_name.size() + 1);
    if (const auto major = parse_integer(number); major && *major < 1000) return file;
  }
  return std::nullopt;
}

}  // namespace

AccessSources::AccessSources() : variable(environment_variable) {}

std::vector<fs::path> cupti_folders(const AccessSources& sources) {
  std::vector<fs::path> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto home = absolute_path(sources.variable(name))) add_toolkit(*home, folders);
  }
  for (const std::string& folder : split(sources.variable("LD_LIBRARY_PATH").value_or(""), ':')) {
    if (auto named = absolute_path(folder)) folders.push_back(*std::move(named));
  }
  add_toolkit(sources.local / "cuda", folders);
  for (const fs::path& toolkit : numbered(sources.local, "cuda-")) {
    add_toolkit(toolkit, folders);
  }
  add_python_packages(sources.variable("PATH").value_or(""), folders);
  return folders;
}

CounterAccess counter_access(const AccessSources& sources) {
  CounterAccess access;
  for (const fs::path& folder : cupti_folders(sources)) {
    const std::optional<fs::path> library = library_in(folder);
    if (!library) continue;
    std::error_code ignored;
    if (fs::exists(folder / "libnvperf_host.so", ignored)) {
      access.cupti = library;
      access.incomplete_cupti.reset();
      break;
    }
    if (!access.incomplete_cupti) access.incomplete_cupti = library;
  }
  if (const auto parameters = read_file_if_possible(sources.driver_parameters)) {
    access.driver = true;
    const std::optional<std::string> value = value_of("RmProfilingAdminOnly", *parameters);
    if (value == "0" || value == "1") access.admin_only = value == "1";
  }
  const std::uint64_t capabilities =
      effective_capabilities(read_file_if_possible(sources.process_status).value_or(""));
  access.sys_admin = (capabilities >> 21U & 1U) != 0;
  access.perfmon = (capabilities >> 38U & 1U) != 0;
  if (const auto library = sources.variable("CUDA_INJECTION64_PATH");
      library && !library->empty()) {
    access.injection = library;
  }
  return access;
}

bool CounterAccess::permitted() const {
  return !admin_only.value_or(false) || sys_admin || perfmon;
}

bool CounterAccess::usable() const { return cupti && driver && permitted() && !injection; }

std::string CounterAccess::found() const {
  std::vector<std::string> parts;
  if (cupti) {
    parts.push_back(cupti->string());
  } else if (incomplete_cupti) {
    parts.push_back(format("{} without libnvperf_host.so", incomplete_cupti->string()));
  } else {
    parts.emplace_back("no CUPTI");
  }
  if (!driver) {
    parts.emplace_back("no NVIDIA driver");
  } else if (!admin_only) {
    parts.emplace_back("the driver does not say who may read counters");
  } else if (!*admin_only) {
    parts.emplace_back("open to all users");
  } else if (sys_admin) {
    parts.emplace_back("for administrators only; this process is one");
  } else {
    parts.emplace_back("for administrators only; this process is not one");
    if (perfmon)
      parts.emplace_back("this process has CAP_PERFMON, which suffices from driver R565 on");
  }
  if (injection) parts.push_back(format("CUDA_INJECTION64_PATH is {}", *injection));
  return join(parts, "; ");
}

std::string CounterAccess::advice() const {
  std::vector<std::string> parts;
  if (!cupti) {
    parts.emplace_back(incomplete_cupti
                           ? "put libnvperf_host.so of the same CUDA toolkit next to it"
                           : "CUPTI is part of the CUDA toolkit (12.6 or later; set CUDA_HOME) and "
                             "of PyTorch's packages for CUDA");
  }
  if (!driver) parts.emplace_back("counters need an NVIDIA GPU with its driver");
  if (!permitted()) parts.push_back(profile::explain_cupti_error(35, "").hint);
  if (injection) parts.emplace_back("unset CUDA_INJECTION64_PATH: one profiler at a time");
  return join(parts, "; ");
}

}  // namespace rooflab::counters
