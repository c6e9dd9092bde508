#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rooflab/base/statistics.hpp"
#include "rooflab/trace/step_work.hpp"
#include "rooflab/trace/trace_breakdown.hpp"
#include "rooflab/trace/trace_operators.hpp"
#include "trace_operator_tree.hpp"
#include "trace_timeline.hpp"

/// Functions that compute the panes, each in the .cpp file of its public header.
namespace rooflab::trace {

[[nodiscard]] StepWindows step_windows(const Timeline& timeline, TraceRule rule);

/// Times of each role over the whole trace; `StepRole::other` has no set.
using RoleSets = std::array<IntervalSet, values_of<StepRole>.size() - 1>;
struct DeviceRoles {
  std::int32_t device = 0;
  RoleSets roles;  ///< roles of the device and the host
};
/// Role sets for each device with kernels in the steps; the plugin's rule treats all devices as
/// one. Never empty.
[[nodiscard]] std::vector<DeviceRoles> role_sets(const Timeline& timeline, const StepWindows& steps,
                                                 TraceRule rule);

[[nodiscard]] StepBreakdown step_breakdown(std::span<const DeviceRoles> devices,
                                           const StepWindows& steps, TraceRule rule);
[[nodiscard]] OverlapTable step_overlap(std::span<const DeviceRoles> devices,
                                        const StepWindows& steps, TraceRule rule);

/// Use of the devices that ran a kernel, by number. `span`: time of the steps.
[[nodiscard]] std::vector<DeviceUse> device_use(const Timeline& timeline, const OperatorTree& tree,
                                                TimeInterval span, TraceRule rule);

/// Sorted intervals of a trace; an empty object means the whole trace.
class Moments {
 public:
  Moments() = default;
  explicit Moments(std::vector<TimeInterval> intervals) : intervals_(std::move(intervals)) {}

  [[nodiscard]] bool has(std::int64_t time_ns) const {
    if (intervals_.empty()) return true;
    const auto after = std::ranges::upper_bound(intervals_, time_ns, {}, &TimeInterval::start_ns);
    return after != intervals_.begin() && time_ns < std::prev(after)->end_ns;
  }

 private:
  std::vector<TimeInterval> intervals_;
};

/// Moments in which the device works for the steps; a trace without marked steps is one step.
[[nodiscard]] inline Moments device_moments(const StepWindows& steps) {
  return steps.marked ? Moments(steps.windows()) : Moments();
}

/// Operators that the host began at one of the moments.
[[nodiscard]] OperatorTable operator_table(const Timeline& timeline, const OperatorTree& tree,
                                           TraceRule rule, const Moments& moments = {});

/// Kernels that began at one of the moments.
[[nodiscard]] TraceKernels trace_kernels(const Timeline& timeline, const Moments& moments = {});
/// Messages of the trace that began at one of the moments.
[[nodiscard]] std::vector<CollectiveRow> collective_rows(const record::Trace& trace,
                                                         const Moments& device = {},
                                                         const Moments& host = {});

/// Work of the steps, by our rule. `kernels`: kernels of the steps.
[[nodiscard]] StepWork step_work(const Timeline& timeline, const OperatorTree& tree,
                                 std::span<const DeviceRoles> devices, const StepWindows& steps,
                                 const TraceKernels& kernels);
[[nodiscard]] std::vector<MemoryCurve> memory_curves(const record::Trace& trace);

}  // namespace rooflab::trace
