#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::counters {

/// Access to hardware counters on this machine, according to files and the environment: nothing
/// here loads CUDA. Only an attempt shows whether counters can be read (another program may use
/// them; MIG, vGPU): see counter_fault.hpp.
struct CounterAccess {
  /// The libcupti.so.N with the highest N, in the first folder that also has libnvperf_host.so,
  /// which it needs for metrics.
  std::optional<std::filesystem::path> cupti;
  /// A libcupti.so.N without libnvperf_host.so, if no better one exists.
  std::optional<std::filesystem::path> incomplete_cupti;
  bool driver = false;  ///< NVIDIA's kernel driver is loaded
  /// The driver's RmProfilingAdminOnly: only administrators may read counters; nullopt if the
  /// driver does not state it.
  std::optional<bool> admin_only;
  /// CAP_SYS_ADMIN, or CAP_PERFMON, which suffices from driver R565 on. In a container they are
  /// valid if the host gave them to it.
  bool sys_admin = false;
  bool perfmon = false;
  /// Value of CUDA_INJECTION64_PATH: another profiler's library, which the driver would load.
  std::optional<std::string> injection;

  /// Whether the driver would let this process read counters, as far as is known.
  [[nodiscard]] bool permitted() const;
  /// Whether all facts that files show permit counting.
  [[nodiscard]] bool usable() const;
  /// Summary in one line: `libcupti.so.13 in ..; for administrators only; ..`.
  [[nodiscard]] std::string found() const;
  /// Advice about missing parts in one line; empty: nothing is missing.
  [[nodiscard]] std::string advice() const;

  friend bool operator==(const CounterAccess&, const CounterAccess&) = default;
};

/// Sources of counter_access(); the default is this machine.
struct AccessSources {
  std::filesystem::path driver_parameters = "/proc/driver/nvidia/params";
  std::filesystem::path process_status = "/proc/self/status";
  std::filesystem::path local = "/usr/local";  ///< has cuda, cuda-13.0, ...
  /// Reads a variable of the environment; nullopt when it is not set.
  std::function<std::optional<std::string>(const char* name)> variable;

  AccessSources();
};

/// Finds the facts about access to counters. Never throws for unreadable facts, which remain
/// unknown.
[[nodiscard]] CounterAccess counter_access(const AccessSources& sources = {});

/// Folders that may contain CUPTI, in the order of the search: CUDA_HOME and CUDA_PATH, the
/// loader's LD_LIBRARY_PATH, /usr/local/cuda and its numbered neighbours (newest first), and the
/// packages of the first python3 in PATH. They need not exist.
[[nodiscard]] std::vector<std::filesystem::path> cupti_folders(const AccessSources& sources = {});

}  // namespace rooflab::counters
