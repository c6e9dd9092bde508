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

/// Messages of one collective, type and group size that the trace describes.
struct CollectiveRow {
  std::string collective = {};   ///< `allreduce`, `_allgather_base`, ...
  std::string dtype = {};        ///< `Float`; as the library prints it
  std::int64_t group_size = -1;  ///< -1: not recorded
  std::int64_t calls = 0;
  /// Time of kernels if they are described, else of host ops, including waiting.
  std::int64_t time_ns = 0;
  /// Sum over all calls of the larger of a rank's input and output; nullopt: one is not recorded.
  std::optional<double> bytes = {};
  /// Bytes on the links (nccl-tests' "bus bandwidth" times the time).
  std::optional<double> bus_bytes = {};

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

/// Messages by collective, type and group size, longest time first.
[[nodiscard]] std::vector<CollectiveRow> collective_rows(
    std::span<const record::CommunicationEvent> messages);
[[nodiscard]] std::span<const Field> fields_of(For<CollectiveRow>);

/// All launches of one kernel in a trace, within steps or not.
struct KernelRow {
  std::string name = {};
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  double share = 0.0;  ///< share of all kernel time
  /// Means weighted by duration, over launches that have the figure; nullopt: none has.
  std::optional<double> blocks_per_sm = {};
  std::optional<double> occupancy = {};
  /// Mean by the plugin's rule: a launch without the figure counts as 0.
  double plugin_blocks_per_sm = 0.0;
  double plugin_occupancy = 0.0;
  /// Use of tensor cores by the kernel's name (trace_tensor_cores.hpp): by the plugin's list, then
  /// by ours.
  bool plugin_tensor_cores = false;
  bool tensor_cores = false;

  [[nodiscard]] double mean_s() const {
    return calls > 0 ? static_cast<double>(total_ns) / static_cast<double>(calls) * 1e-9 : 0.0;
  }
};

/// Kernels of a trace, longest total time first.
struct TraceKernels {
  std::vector<KernelRow> rows = {};
  std::int64_t total_ns = 0;  ///< sum over all kernels, also concurrent ones
  /// Share of total_ns in kernels that use tensor cores by their names; nullopt without kernel
  /// time.
  std::optional<double> plugin_tensor_core_share = {};
  std::optional<double> tensor_core_share = {};
};

[[nodiscard]] std::span<const Field> fields_of(For<KernelRow>);
[[nodiscard]] std::span<const Field> fields_of(For<TraceKernels>);

/// An operator of the framework: all its calls, or its calls with equal arguments.
struct OperatorRow {
  std::string name = {};
  std::string arguments = {};  ///< see record::RangeTable; empty: all calls, or not recorded
  std::int64_t calls = 0;
  std::int64_t host_total_ns = 0;
  /// Host time without the operators that it called; by the plugin's rule also without calls of the
  /// runtime.
  std::int64_t host_self_ns = 0;
  std::int64_t device_total_ns = 0;  ///< kernels and copies launched by it and its callees
  std::int64_t device_self_ns = 0;   ///< kernels and copies launched by itself
  /// Work of all calls, modelled from shapes (trace_op_work.hpp); nullopt: a call has no modelled
  /// work.
  std::optional<double> flops = {};
  std::optional<double> bytes = {};

  /// Modelled work over the device's time; nullopt without either.
  [[nodiscard]] std::optional<double> flops_per_s() const { return quotient(flops, device_s()); }
  [[nodiscard]] std::optional<double> bytes_per_s() const { return quotient(bytes, device_s()); }
  [[nodiscard]] std::optional<std::string> known_arguments() const {
    return arguments.empty() ? std::nullopt : std::optional(arguments);
  }

 private:
  [[nodiscard]] double device_s() const { return static_cast<double>(device_total_ns) * 1e-9; }
};

/// An operator whose work is counted only once: it includes the device time of its callees, unless
/// one of its callers has modelled work.
struct ModelledOperator {
  std::string name = {};      ///< empty: no operator launched it
  std::int64_t calls = 0;     ///< calls with device time
  std::int64_t launches = 0;  ///< kernels and copies
  std::int64_t device_ns = 0;
  std::optional<double> flops = {};  ///< nullopt: a call has no modelled work
  std::optional<double> bytes = {};
  std::set<DType> types = {};  ///< types of the operands of its products
};

/// Operators of a trace. Both lists are sorted by the device's self time (without device work by
/// the host's), longest first.
struct OperatorTable {
  std::vector<OperatorRow> by_name = {};
  std::vector<OperatorRow> by_arguments = {};  ///< empty: no shapes are recorded
  /// Device work that a step, an optimizer or an unknown caller launched instead of an operator.
  std::int64_t unattributed_ns = 0;
  /// Modelled work, counted once: only for operators that no other operator with a rule called.
  /// nullopt where none has a rule.
  std::optional<double> flops = {};
  std::int64_t flops_device_ns = 0;  ///< device time of the operators in `flops`
  /// All device work, each part once, by the name of the operator for which it is counted.
  std::vector<ModelledOperator> modelled = {};
};

[[nodiscard]] std::span<const Field> fields_of(For<OperatorRow>);
[[nodiscard]] std::span<const Field> fields_of(For<OperatorTable>);

}  // namespace rooflab::trace
