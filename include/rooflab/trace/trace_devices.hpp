#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "rooflab/base/described.hpp"
#include "rooflab/trace/trace_rule.hpp"

namespace rooflab::trace {

/// `cuda:0`; `cpu` for a number below zero.
[[nodiscard]] std::string device_label(int device);

/// How a device was used over the steps. All but the first are estimates of the profiler or of
/// ours.
struct DeviceUse {
  TraceRule rule = TraceRule::ours;
  int device = 0;
  std::string name;          ///< empty where the trace does not describe it
  std::int64_t kernels = 0;  ///< in the whole trace
  /// Time with a kernel over the time of the steps, 0 to 1; copies do not count.
  std::optional<double> utilization;
  /// Blocks per multiprocessor, of all kernels that run, at most 1, over the time of the steps.
  std::optional<double> sm_efficiency;
  /// The same over the time in which kernels run that say how many blocks they have. Ours.
  std::optional<double> sm_efficiency_busy;
  /// Estimated occupancy, weighted by kernel time (within the steps).
  std::optional<double> occupancy;
  /// Kernel time of kernels that use tensor cores by their names: see trace_tensor_cores.hpp.
  /// Plugin: over kernels that an operator launched; ours: over all within the steps.
  std::optional<double> tensor_core_share;

  [[nodiscard]] std::string label() const { return device_label(device); }
};

[[nodiscard]] std::span<const Field> fields_of(For<DeviceUse>);

}  // namespace rooflab::trace
