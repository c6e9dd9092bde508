#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::trace {

/// Set of formulae for the panes of a trace. docs/methods/traces.md lists every difference.
enum class TraceRule {
  /// Formulae of PyTorch's TensorBoard plugin (torch_tb_profiler, removed in April 2026), including
  /// its quirks: for comparison with older figures.
  plugin,
  /// Our formulae: steps of the host only, calls of the driver too, collectives by their kernels'
  /// names.
  ours,
};
constexpr auto names_in_order(For<TraceRule>) {
  return names_through<TraceRule::ours>("plugin", "ours");
}

/// One step of the profiler, as the panes count it.
struct StepWindow {
  std::string name = {};  ///< `3` of `ProfilerStep#3`; `0` where no step is marked
  /// From the end of the previous step's device work to that of this step
  TimeInterval window = {};
  TimeInterval marked = {};      ///< range of the step on the host
  std::int64_t device_work = 0;  ///< kernels and copies launched in `marked`
};

/// Steps in the order of time; windows do not overlap. Empty: the trace has no event.
struct StepWindows {
  std::vector<StepWindow> steps = {};
  bool marked = false;  ///< the trace has steps; false: one window over all
  int dropped = 0;      ///< last steps that are left out: device work may be missing
  // By our rule, about ranges that mark steps:
  std::int64_t nested = 0;            ///< left out: within another range of their thread
  std::int64_t overlapping = 0;       ///< cut: they begin before the previous range ends
  std::int64_t of_other_threads = 0;  ///< left out: concurrent with those of the chosen thread

  /// Interval from the first step's start to the last one's end; {0, 0} without steps.
  [[nodiscard]] TimeInterval span() const;
  [[nodiscard]] std::vector<TimeInterval> windows() const;
};

[[nodiscard]] std::span<const Field> fields_of(For<StepWindow>);
[[nodiscard]] std::span<const Field> fields_of(For<StepWindows>);

/// Role of a moment in a step: the first of these activities that is running.
enum class StepRole : std::uint8_t {
  kernel,
  memcpy,
  memset,
  communication,
  runtime,
  data_loader,
  cpu_op,
  other,  ///< none of these: idle, or Python outside of ops
};
constexpr auto names_in_order(For<StepRole>) {
  return names_through<StepRole::other>("kernel", "memcpy", "memset", "communication", "runtime",
                                        "data_loader", "cpu_op", "other");
}

/// Time by role, for one step or as the mean over steps.
struct RoleTimes {
  std::array<double, values_of<StepRole>.size()> role_ns{};
  double total_ns = 0.0;

  [[nodiscard]] std::map<StepRole, double> roles_s() const;
};

struct StepCosts {
  StepWindow step = {};
  RoleTimes times = {};
};

/// Times of steps by role. Roles are computed per device together with the host; several devices
/// are averaged.
struct StepBreakdown {
  std::vector<StepCosts> steps = {};
  RoleTimes mean = {};  ///< zeros without steps
  /// Mean step of the device with the least idle time, whose work bounds the step. By our rule.
  RoleTimes busiest = {};
};

/// Computation, communication and their overlap on a device, for one step or as the mean over
/// steps; several devices are averaged.
struct StepOverlap {
  double computation_only_ns = 0.0;
  double overlap_ns = 0.0;
  double communication_only_ns = 0.0;
  double other_ns = 0.0;

  /// Communication over the step's time; nullopt for a step without time.
  [[nodiscard]] std::optional<double> communication_share() const;
  /// Share of the communication that overlaps with computation; nullopt without communication.
  [[nodiscard]] std::optional<double> hidden_share() const;
};
struct OverlapTable {
  TraceRule rule = TraceRule::ours;
  bool has_communication = false;
  std::vector<StepOverlap> steps = {};
  StepOverlap mean = {};
};

[[nodiscard]] std::span<const Field> fields_of(For<RoleTimes>);
[[nodiscard]] std::span<const Field> fields_of(For<StepCosts>);
[[nodiscard]] std::span<const Field> fields_of(For<StepBreakdown>);
[[nodiscard]] std::span<const Field> fields_of(For<StepOverlap>);
[[nodiscard]] std::span<const Field> fields_of(For<OverlapTable>);

/// Name of a device: `cuda:0`; `cpu` for a number below zero.
[[nodiscard]] std::string device_label(int device);

/// Use of a device over the steps. All shares except the first are estimates by the profiler or by
/// Rooflab.
struct DeviceUse {
  TraceRule rule = TraceRule::ours;
  int device = 0;
  std::string name = {};     ///< empty where the trace does not describe it
  std::int64_t kernels = 0;  ///< number of kernels in the whole trace
  std::int64_t kernels_in_steps = 0;
  /// Share of the steps' time in which a kernel runs, 0 to 1; copies do not count.
  std::optional<double> utilization = {};
  /// Blocks per multiprocessor of all running kernels, at most 1, as a mean over the steps' time.
  std::optional<double> sm_efficiency = {};
  /// Blocks per multiprocessor, at most 1, as a mean over the time in which kernels with known
  /// blocks run. By our rule.
  std::optional<double> sm_efficiency_busy = {};
  /// Estimated occupancy, weighted by kernel time (within the steps).
  std::optional<double> occupancy = {};
  /// Share of kernel time in kernels that use tensor cores by their names (trace_tensor_cores.hpp).
  /// Plugin: of kernels that an operator launched; ours: of all kernels within the steps.
  std::optional<double> tensor_core_share = {};

  [[nodiscard]] std::string label() const { return device_label(device); }
};

[[nodiscard]] std::span<const Field> fields_of(For<DeviceUse>);

struct MemoryPoint {
  std::int64_t time_ns = 0;
  std::int64_t allocated_bytes = 0;
  std::optional<std::int64_t> reserved_bytes = {};  ///< in the allocator's segments
};

/// The allocator's state over time on one device, a point after each change.
struct MemoryCurve {
  int device = -1;                       ///< -1: the host
  std::vector<MemoryPoint> points = {};  ///< sorted by time
  /// Whether totals were not recorded: `allocated_bytes` is then the change since the trace began,
  /// and may be negative.
  bool relative = false;
  std::optional<std::int64_t> peak_allocated_bytes = {};  ///< nullopt when relative
  std::optional<std::int64_t> peak_reserved_bytes = {};

  [[nodiscard]] std::string label() const { return device_label(device); }
  [[nodiscard]] std::size_t changes() const { return points.size(); }
};

[[nodiscard]] std::span<const Field> fields_of(For<MemoryCurve>);

}  // namespace rooflab::trace
