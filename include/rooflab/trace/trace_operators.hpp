#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/record/trace.hpp"

namespace rooflab::trace {

/// Messages of one collective, type and group size, as far as the trace describes them.
struct CollectiveRow {
  std::string collective;        ///< `allreduce`, `_allgather_base`, ...
  std::string dtype;             ///< `Float`; as the library prints it
  std::int64_t group_size = -1;  ///< -1: not recorded
  std::int64_t calls = 0;
  /// Time of kernels, where they are described, else of host ops; waiting included.
  std::int64_t time_ns = 0;
  /// The larger of what goes in and comes out of a rank, all calls; nullopt: not recorded of one.
  std::optional<double> bytes;
  /// What the links must carry for it (nccl-tests' "bus bandwidth" times the time).
  std::optional<double> bus_bytes;

  [[nodiscard]] std::optional<std::int64_t> ranks() const {
    return group_size < 0 ? std::nullopt : std::optional(group_size);
  }
  [[nodiscard]] std::optional<double> bytes_per_s() const { return quotient(bytes, time_s()); }
  [[nodiscard]] std::optional<double> bus_bytes_per_s() const {
    return quotient(bus_bytes, time_s());
  }

 private:
  [[nodiscard]] double time_s() const { return static_cast<double>(time_ns) * 1e-9; }
};

/// Messages by collective, type and group size, those that took longest first.
[[nodiscard]] std::vector<CollectiveRow> collective_rows(
    std::span<const record::CommunicationEvent> messages);
[[nodiscard]] std::span<const Field> fields_of(For<CollectiveRow>);

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

/// An operator of the framework: all its calls, or those with the same arguments.
struct OperatorRow {
  std::string name;
  std::string arguments;  ///< text of record::RangeTable; empty: all calls, or not recorded
  std::int64_t calls = 0;
  std::int64_t host_total_ns = 0;
  /// Without the operators that it called; by the plugin's rule also without calls of the runtime.
  std::int64_t host_self_ns = 0;
  std::int64_t device_total_ns = 0;  ///< kernels and copies that it and those it called launched
  std::int64_t device_self_ns = 0;   ///< that it launched itself
  /// Work of all calls, modelled from shapes (trace_op_work.hpp); nullopt when one of them has
  /// none.
  std::optional<double> flops;
  std::optional<double> bytes;

  /// Modelled work over the device's time; nullopt without either.
  [[nodiscard]] std::optional<double> flops_per_s() const { return quotient(flops, device_s()); }
  [[nodiscard]] std::optional<double> bytes_per_s() const { return quotient(bytes, device_s()); }
  [[nodiscard]] std::optional<std::string> known_arguments() const {
    return arguments.empty() ? std::nullopt : std::optional(arguments);
  }

 private:
  [[nodiscard]] double device_s() const { return static_cast<double>(device_total_ns) * 1e-9; }
};

/// An operator as far as its work is counted once: with the device time of what it called, unless
/// one above it has modelled work.
struct ModelledOperator {
  std::string name;           ///< empty: no operator launched it
  std::int64_t calls = 0;     ///< calls with device time
  std::int64_t launches = 0;  ///< kernels and copies
  std::int64_t device_ns = 0;
  std::optional<double> flops;  ///< nullopt: a call has none
  std::optional<double> bytes;
  std::set<DType> types;  ///< types of the operands of its products
};

/// Both lists by the device's self time (a trace without device work: by the host's), most first.
struct OperatorTable {
  std::vector<OperatorRow> by_name;
  std::vector<OperatorRow> by_arguments;  ///< empty where no shapes are recorded
  /// Device work that no operator launched: a step, an optimizer or an unknown caller did.
  std::int64_t unattributed_ns = 0;
  /// Modelled work, counted once: only for operators that no other operator with a rule called.
  /// nullopt where none has a rule.
  std::optional<double> flops;
  std::int64_t flops_device_ns = 0;  ///< device time of those
  /// All device work, each piece once, by the name of the operator that it is counted for.
  std::vector<ModelledOperator> modelled;
};

[[nodiscard]] std::span<const Field> fields_of(For<OperatorRow>);
[[nodiscard]] std::span<const Field> fields_of(For<OperatorTable>);

}  // namespace rooflab::trace
