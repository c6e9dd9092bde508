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

/// Whose formulae compute a pane of a trace. docs/methods/traces.md lists every difference.
enum class TraceRule {
  /// Those of PyTorch's TensorBoard plugin (torch_tb_profiler, removed in April 2026), its quirks
  /// included: for figures that are compared with older ones.
  plugin,
  /// Ours: steps of the host only, calls of the driver too, collectives by their kernels' names.
  ours,
};
constexpr auto names_in_order(For<TraceRule>) {
  return names_through<TraceRule::ours>("plugin", "ours");
}

/// One step of the profiler as the panes count it.
struct StepWindow {
  std::string name;     ///< `3` of `ProfilerStep#3`; `0` where no step is marked
  TimeInterval window;  ///< from the end of the previous step's device work to the end of its own
  TimeInterval marked;  ///< the host's range, as the trace has it
  std::int64_t device_work = 0;  ///< kernels and copies launched in `marked`
};

/// Steps in the order of time; windows do not overlap. Empty: the trace holds no event.
struct StepWindows {
  std::vector<StepWindow> steps;
  bool marked = false;  ///< the trace has steps; false: one window over all
  int dropped = 0;      ///< last steps left out, whose device work the profiler may have missed
  // Ours, of ranges that mark steps:
  std::int64_t nested = 0;            ///< left out: they lie in another one of their thread
  std::int64_t overlapping = 0;       ///< begin before the last one has ended, which cuts them
  std::int64_t of_other_threads = 0;  ///< left out: at the same time as those of the thread taken

  /// From the first step's start to the last one's end; {0, 0} without steps.
  [[nodiscard]] TimeInterval span() const;
  [[nodiscard]] std::vector<TimeInterval> windows() const;
};

[[nodiscard]] std::span<const Field> fields_of(For<StepWindow>);
[[nodiscard]] std::span<const Field> fields_of(For<StepWindows>);

/// What a moment of a step is counted to: the first of these that is going on.
enum class StepRole : std::uint8_t {
  kernel,
  memcpy,
  memset,
  communication,
  runtime,
  data_loader,
  cpu_op,
  other,  ///< none of them: idle, or Python outside of ops
};
constexpr auto names_in_order(For<StepRole>) {
  return names_through<StepRole::other>("kernel", "memcpy", "memset", "communication", "runtime",
                                        "data_loader", "cpu_op", "other");
}

/// Time by role; of one step, or the mean over steps.
struct RoleTimes {
  std::array<double, values_of<StepRole>.size()> role_ns{};
  double total_ns = 0.0;

  [[nodiscard]] std::map<StepRole, double> roles_s() const;
};

struct StepCosts {
  StepWindow step;
  RoleTimes times;
};

/// Roles are those of each device by itself, with the host's; of several devices their mean.
struct StepBreakdown {
  std::vector<StepCosts> steps;
  RoleTimes mean;  ///< zeros without steps
  /// The mean step of the device that is idle least: no step ends before its work. Ours.
  RoleTimes busiest;
};

/// Computation and communication, and how much of them went on at the same time on a device; of one
/// step, or the mean over steps. Of several devices it is their mean.
struct StepOverlap {
  double computation_only_ns = 0.0;
  double overlap_ns = 0.0;
  double communication_only_ns = 0.0;
  double other_ns = 0.0;

  /// Share of the step; nullopt where that takes no time.
  [[nodiscard]] std::optional<double> communication_share() const;
  /// Communication that computation hid, over all of it; nullopt without any.
  [[nodiscard]] std::optional<double> hidden_share() const;
};
struct OverlapTable {
  TraceRule rule = TraceRule::ours;
  bool has_communication = false;
  std::vector<StepOverlap> steps;
  StepOverlap mean;
};

[[nodiscard]] std::span<const Field> fields_of(For<RoleTimes>);
[[nodiscard]] std::span<const Field> fields_of(For<StepCosts>);
[[nodiscard]] std::span<const Field> fields_of(For<StepBreakdown>);
[[nodiscard]] std::span<const Field> fields_of(For<StepOverlap>);
[[nodiscard]] std::span<const Field> fields_of(For<OverlapTable>);

/// `cuda:0`; `cpu` for a number below zero.
[[nodiscard]] std::string device_label(int device);

/// How a device was used over the steps. All but the first are estimates of the profiler or of
/// ours.
struct DeviceUse {
  TraceRule rule = TraceRule::ours;
  int device = 0;
  std::string name;          ///< empty where the trace does not describe it
  std::int64_t kernels = 0;  ///< in the whole trace
  std::int64_t kernels_in_steps = 0;
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

struct MemoryPoint {
  std::int64_t time_ns = 0;
  std::int64_t allocated_bytes = 0;
  std::optional<std::int64_t> reserved_bytes;  ///< in the allocator's segments
};

/// The allocator's state over time on one device, a point after each change.
struct MemoryCurve {
  int device = -1;                  ///< -1: the host
  std::vector<MemoryPoint> points;  ///< sorted by time
  /// Totals were not recorded: `allocated_bytes` is the change since the trace began, and may be
  /// negative.
  bool relative = false;
  std::optional<std::int64_t> peak_allocated_bytes;  ///< nullopt when relative
  std::optional<std::int64_t> peak_reserved_bytes;

  [[nodiscard]] std::string label() const { return device_label(device); }
  [[nodiscard]] std::size_t changes() const { return points.size(); }
};

[[nodiscard]] std::span<const Field> fields_of(For<MemoryCurve>);

}  // namespace rooflab::trace
