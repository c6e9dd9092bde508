#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"

namespace rooflab::trace {

/// All launches of one kernel in a trace, steps or not.
struct KernelRow {
  std::string name;
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  double share = 0.0;  ///< share of all kernel time
  /// Means weighted by duration, over launches that have the figure; nullopt: none has.
  std::optional<double> blocks_per_sm;
  std::optional<double> occupancy;
  /// The plugin's means: a launch without the figure counts as 0.
  double plugin_blocks_per_sm = 0.0;
  double plugin_occupancy = 0.0;
  /// Tensor cores by the name (trace_tensor_cores.hpp): by the plugin's list, by ours.
  bool plugin_tensor_cores = false;
  bool tensor_cores = false;

  [[nodiscard]] double mean_s() const {
    return calls > 0 ? static_cast<double>(total_ns) / static_cast<double>(calls) * 1e-9 : 0.0;
  }
};

/// Rows by total time, most first.
struct TraceKernels {
  std::vector<KernelRow> rows;
  std::int64_t total_ns = 0;  ///< sum over all kernels: concurrent ones count each
  /// Share of it in kernels that use tensor cores by their names; nullopt without kernel time.
  std::optional<double> plugin_tensor_core_share;
  std::optional<double> tensor_core_share;
};

[[nodiscard]] std::span<const Field> fields_of(For<KernelRow>);
[[nodiscard]] std::span<const Field> fields_of(For<TraceKernels>);

}  // namespace rooflab::trace
