// How busy a device was, from kernels alone. W is the time from the first step's start to the last
// one's end, gaps between steps included.
//
//   utilisation      |union of kernels and W| / |W|
//   SM efficiency    integral over W of min(1, sum of blocks per SM of the kernels that run) / |W|
//   the same, busy   that integral / |union of kernels with a figure and W|
//   occupancy        sum of occ_k |k and W| / sum of |k and W|
//   tensor cores     kernel time of such names / kernel time
//
// blocks per SM = gridX gridY gridZ / multiprocessors and the occupancy are the profiler's, from
// launch sizes and the occupancy calculator, not measured (libkineto, DeviceProperties.cpp).
// Kernels without blocks per SM, or with 0 or less, are left out of the second, kernels without an
// occupancy of the fourth. An occupancy of 0 is an unknown one by our rule
// (record/zero_figures.cpp) and counts by the plugin's.
//
// Source: torch_tb_profiler, profiler/gpu_metrics_parser.py, range_utils.py,
// tensor_cores_parser.py.
//
// When they mislead: denominators differ. SM efficiency counts idle time as 0 and so never exceeds
// the utilisation: divided by it, it is the busy one. Occupancy counts only kernel time, and time
// in which two kernels run twice. A grid of one block per SM reads 100 % efficient for its whole
// time, even when most blocks end early; utilisation is 100 % with a single block on one of 132
// SMs.

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/trace/trace_breakdown.hpp"
#include "trace_panes.hpp"
#include "trace_tensor_cores.hpp"

namespace rooflab::trace {
namespace {

using record::KernelFigure;

struct Change {
  std::int64_t time_ns;
  double blocks;  ///< per multiprocessor; negative at a kernel's end
};

/// Integral of min(1, blocks) over time, in nanoseconds. All changes are within the window.
double covered_ns(std::vector<Change>& changes) {
  std::ranges::sort(changes, {}, &Change::time_ns);
  double covered = 0.0;
  double blocks = 0.0;
  std::int64_t running = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (i > 0 && running > 0) {
      covered +=
          std::min(blocks, 1.0) * static_cast<double>(changes[i].time_ns - changes[i - 1].time_ns);
    }
    blocks += changes[i].blocks;
    running += changes[i].blocks > 0.0 ? 1 : -1;
    if (running == 0) blocks = 0.0;  // no remainders of floating-point sums
  }
  return covered;
}

struct Busy {
  std::int64_t kernels = 0;
  std::int64_t kernels_in_steps = 0;
  IntervalSet any;          ///< whole trace
  IntervalSet with_blocks;  ///< within the window
  std::vector<Change> changes;
  double occupancy_ns = 0.0;
  std::int64_t occupancy_time_ns = 0;
  std::int64_t tensor_ns = 0;
  std::int64_t kernel_ns = 0;
};

/// What the rule counts; nullopt: the kernel is left out.
std::optional<double> occupancy_of(const record::KernelTable& kernels, std::size_t row,
                                   TraceRule rule) {
  const std::optional<double> occupancy = kernels.at(KernelFigure::occupancy, row);
  if (rule == TraceRule::ours) return occupancy > 0.0 ? occupancy : std::nullopt;
  // The profiler writes all or nothing of a launch: with its registers stood the 0 of what it could
  // not tell, which the plugin takes as it is.
  if (!occupancy && kernels.at(KernelFigure::registers_per_thread, row)) return 0.0;
  return occupancy;
}

}  // namespace

std::string device_label(int device) {
  return device < 0 ? std::string("cpu") : format("cuda:{}", device);
}

std::vector<DeviceUse> device_use(const Timeline& timeline, const OperatorTree& tree,
                                  TimeInterval span, TraceRule rule) {
  const record::KernelTable& kernels = *timeline.kernels;
  const std::vector<bool> tensor = of_names<bool>(
      kernels.names, [&](std::string_view name) { return uses_tensor_cores(name, rule); });
  std::map<int, Busy> devices;
  for (std::size_t w = 0; w < timeline.work.size(); ++w) {
    const DeviceWork& work = timeline.work[w];
    if (work.kind != WorkKind::kernel) continue;
    Busy& busy = devices[work.device];
    ++busy.kernels;
    extend(busy.any, work.interval());
    const TimeInterval within{std::max(work.start_ns, span.start_ns),
                              std::min(work.end_ns, span.end_ns)};
    const std::int64_t within_ns = std::max<std::int64_t>(within.duration_ns(), 0);
    const std::int64_t tensor_base_ns = rule == TraceRule::ours     ? within_ns
                                        : tree.operator_launched(w) ? work.duration_ns()
                                                                    : 0;
    busy.kernel_ns += tensor_base_ns;
    if (tensor[kernels.name_id(work.row)]) busy.tensor_ns += tensor_base_ns;
    if (work.start_ns >= span.start_ns && work.start_ns < span.end_ns) ++busy.kernels_in_steps;
    if (within_ns == 0) continue;
    const std::optional<double> blocks = kernels.at(KernelFigure::blocks_per_sm, work.row);
    if (blocks && *blocks > 0.0 && std::isfinite(*blocks)) {
      busy.changes.push_back({within.start_ns, *blocks});
      busy.changes.push_back({within.end_ns, -*blocks});
      extend(busy.with_blocks, within);
    }
    if (const auto occupancy = occupancy_of(kernels, work.row, rule)) {
      busy.occupancy_ns += *occupancy * static_cast<double>(within_ns);
      busy.occupancy_time_ns += within_ns;
    }
  }

  std::vector<DeviceUse> result;
  const auto window_ns = static_cast<double>(span.duration_ns());
  for (auto& [device, busy] : devices) {
    DeviceUse& use = result.emplace_back();
    use.rule = rule;
    use.device = device;
    const auto described =
        std::ranges::find(timeline.trace->devices, device, &record::TraceDevice::id);
    if (described != timeline.trace->devices.end()) use.name = described->name;
    use.kernels = busy.kernels;
    use.kernels_in_steps = busy.kernels_in_steps;
    use.utilization = quotient(static_cast<double>(total_within_ns(busy.any, span)), window_ns);
    if (!busy.changes.empty()) {
      const double covered = covered_ns(busy.changes);
      use.sm_efficiency = quotient(covered, window_ns);
      use.sm_efficiency_busy = quotient(covered, static_cast<double>(total_ns(busy.with_blocks)));
    }
    use.occupancy = quotient(busy.occupancy_ns, static_cast<double>(busy.occupancy_time_ns));
    use.tensor_core_share =
        quotient(static_cast<double>(busy.tensor_ns), static_cast<double>(busy.kernel_ns));
  }
  return result;
}

}  // namespace rooflab::trace
