// Kernels with counters that use little of the device: far_from_roofs, low_occupancy; the three
// longest of each.
//
//   far_from_roofs   of 5 % of the kernels' time or more, below 60 % of both roofs: the FLOPs of
//                    each path over its peak, added up, over the time; the DRAM bytes over the
//                    bandwidth. Worth: its time alone (kernel_times.cpp) times 1 - the larger of
//                    the two. Kernels of which another finding is are left out.
//   low_occupancy    of 5 % of the kernels' time or more, with an achieved occupancy below 25 %. It
//                    has no worth: few warps may be enough.
//
// Source: NVIDIA, "Nsight Compute, Kernel Profiling Guide", speed of light (60 %). When they are
// wrong: ncu locks clocks and empties caches by default, so that kernels are slower than in a run.

#include <algorithm>

#include "analyze/kernel_class.hpp"
#include "rules.hpp"

namespace rooflab::findings {
namespace {

using record::KernelFigure;

constexpr double near_a_roof = 0.60;
constexpr double enough_warps = 0.25;
constexpr int most_kernels = 3;

/// Share of the arithmetic that the device could have done; nullopt: FLOPs were not collected, or a
/// path has no peak.
std::optional<double> compute_share(const analyze::KernelGroup& group,
                                    const device::Device& device) {
  if (!group.sums.at(KernelFigure::flops)) return std::nullopt;
  double least_s = 0.0;
  for (const ArithmeticPath path : values_of<ArithmeticPath>) {
    const double flops = group.sums.known(path).value_or(0.0);
    if (flops <= 0.0) continue;
    const auto peak = device.peaks.find(path);
    if (peak == device.peaks.end()) return std::nullopt;
    least_s += flops / peak->second.value;
  }
  return least_s / *group.time_s;
}

/// cuDNN may choose another algorithm for a convolution, where it was not told to try them.
std::string attempt_for(const std::string& kernel, const Evidence& seen) {
  const bool convolution = analyze::work_class_of_kernel(kernel) == graph::WorkClass::convolution;
  return convolution && !seen.cudnn_benchmark ? text_of(TryLine::cudnn_benchmark) : std::string();
}

}  // namespace

void add_far_from_roofs(const CounterFacts& counters, FindingList& found) {
  const auto& device = counters.imported.device;
  if (!device || !device->bandwidth) return;
  int said = 0;
  for (const analyze::KernelGroup& group : counters.imported.kernels) {
    if (!group.time_s || *group.time_s <= 0.0 || said == most_kernels ||
        counters.taken.contains(group.name)) {
      continue;
    }
    const double share = *group.time_s / counters.kernels_s;
    const std::optional<double> bytes = group.sums.at(KernelFigure::dram_bytes);
    const std::optional<double> compute = compute_share(group, *device);
    if (share < row_of(FindingKind::far_from_roofs).least || !bytes || !compute) continue;
    const double memory = *bytes / device->bandwidth->value / *group.time_s;
    if (std::max(*compute, memory) >= near_a_roof) continue;
    ++said;
    // A copy has no arithmetic that could be nearer to its peak.
    const NoteValue arithmetic = *compute > 0.0 ? NoteValue(*compute) : NoteValue();
    std::optional<double> worth_s =
        counters.times.alone_s([&](const std::string& kernel) { return kernel == group.name; });
    if (worth_s) *worth_s *= 1.0 - std::max(*compute, memory);
    found.add(FindingKind::far_from_roofs, {short_name(group.name), share, arithmetic, memory},
              worth_s, attempt_for(group.name, counters.seen));
  }
}

void add_low_occupancy(const CounterFacts& counters, FindingList& found) {
  int said = 0;
  for (const analyze::KernelGroup& group : counters.imported.kernels) {
    if (!group.time_s || said == most_kernels) continue;
    const double share = *group.time_s / counters.kernels_s;
    const std::optional<double> occupancy = group.sums.at(KernelFigure::occupancy);
    if (share < row_of(FindingKind::low_occupancy).least || !occupancy ||
        *occupancy >= enough_warps) {
      continue;
    }
    ++said;
    found.add(FindingKind::low_occupancy, {short_name(group.name), share, *occupancy});
  }
}

}  // namespace rooflab::findings
