// From times of kernels to what a rank did, over the time W of some steps:
//
//   kernel time     sum of the kernels' durations
//   communication   the same of the communication library's kernels
//   hidden          of the union of those, the part in which another kernel ran
//   busy            |union of all kernels| / W
//   SM efficiency   integral of min(1, sum of blocks per SM of the kernels that run) / W
//   occupancy       sum of occ_k |k| / sum of |k|
//
// Occupancy of a kernel: blocks that fit a multiprocessor, the least of four limits
//
//   threads    warps per SM / warps per block
//   blocks     blocks per SM
//   registers  registers are given to a warp in units of 256: 64 Ki / (256 ceil(32 regs / 256)),
//              by whole warps in four schedulers, over warps per block
//   memory     shared memory of an SM / (that of a block, in units, and 1 KiB of the system's from
//              compute capability 8.0 on)
//
// times warps per block over warps per SM. A grid that has fewer blocks per SM than fit counts with
// those, as PyTorch's profiler has it (libkineto, "est. achieved occupancy").
//
// When it misleads: NCCL's kernels wait for one another, so communication holds waiting for slower
// ranks. Source of the limits: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability"; units of allocation: cuda_occupancy.h.

#include "rank_kernels.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "rooflab/base/statistics.hpp"

namespace rooflab::counters {
namespace {

std::int64_t product(const record::Extent& extent) {
  return std::int64_t{extent[0]} * extent[1] * extent[2];
}

bool communicates(const profile::KernelActivity& kernel) {
  return std::string_view(kernel.name).find("nccl") != std::string_view::npos;
}

/// Integral of min(1, blocks per multiprocessor) over time, ns.
double covered_ns(std::span<const profile::KernelActivity> kernels, int multiprocessors) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;  // time, blocks that begin
  for (const profile::KernelActivity& kernel : kernels) {
    changes.emplace_back(kernel.start_ns, product(kernel.grid));
    changes.emplace_back(kernel.end_ns, -product(kernel.grid));
  }
  std::ranges::sort(changes);
  double covered = 0.0;
  std::int64_t blocks = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (i > 0) {
      const double each = static_cast<double>(blocks) / multiprocessors;
      covered += std::min(1.0, each) * static_cast<double>(changes[i].first - changes[i - 1].first);
    }
    blocks += changes[i].second;
  }
  return covered;
}

struct ChipLimits {
  std::string_view compute_capability;
  int warps = 0;   ///< warps of a multiprocessor
  int blocks = 0;  ///< likewise
  std::int64_t shared_bytes = 0;
  std::int64_t shared_unit = 0;
  std::int64_t shared_reserved = 0;  ///< bytes reserved in every block
};

constexpr std::int64_t kib = 1024;
constexpr std::array<ChipLimits, 13> chips = {{{"6.0", 64, 32, 64 * kib, 256, 0},
                                               {"6.1", 64, 32, 96 * kib, 256, 0},
                                               {"7.0", 64, 32, 96 * kib, 256, 0},
                                               {"7.2", 64, 32, 96 * kib, 256, 0},
                                               {"7.5", 32, 16, 64 * kib, 256, 0},
                                               {"8.0", 64, 32, 164 * kib, 128, kib},
                                               {"8.6", 48, 16, 100 * kib, 128, kib},
                                               {"8.7", 48, 16, 164 * kib, 128, kib},
                                               {"8.9", 48, 24, 100 * kib, 128, kib},
                                               {"9.0", 64, 32, 228 * kib, 128, kib},
                                               {"10.0", 64, 32, 228 * kib, 128, kib},
                                               {"10.3", 64, 32, 228 * kib, 128, kib},
                                               {"12.0", 48, 24, 100 * kib, 128, kib}}};

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::optional<double> theoretical_occupancy(const std::string& compute_capability,
                                            const profile::KernelActivity& kernel,
                                            std::optional<int> multiprocessors) {
  const auto* const chip =
      std::ranges::find(chips, compute_capability, &ChipLimits::compute_capability);
  const std::int64_t threads = product(kernel.block);
  if (chip == chips.end() || threads <= 0) return std::nullopt;
  constexpr std::int64_t warp = 32;
  constexpr std::int64_t registers = 65536;
  constexpr std::int64_t schedulers = 4;
  const std::int64_t warps = rounded_up(threads, warp) / warp;
  std::int64_t fit = std::min<std::int64_t>(chip->warps / warps, chip->blocks);
  if (kernel.registers_per_thread > 0) {
    const std::int64_t of_warp = rounded_up(kernel.registers_per_thread * warp, 256);
    const std::int64_t warps_with_registers = registers / of_warp / schedulers * schedulers;
    fit = std::min(fit, warps_with_registers / warps);
  }
  const std::int64_t shared =
      rounded_up(kernel.shared_memory_bytes, chip->shared_unit) + chip->shared_reserved;
  if (shared > 0) fit = std::min(fit, chip->shared_bytes / shared);
  if (fit <= 0) return std::nullopt;
  auto blocks = static_cast<double>(fit);
  if (multiprocessors && *multiprocessors > 0) {
    blocks = std::min(blocks, static_cast<double>(product(kernel.grid)) / *multiprocessors);
  }
  return blocks * static_cast<double>(warps) / chip->warps;
}

record::RankKernels rank_kernels(std::span<const profile::KernelActivity> kernels,
                                 const record::DeviceIdentity& device, double elapsed_s,
                                 int steps) {
  constexpr double ns = 1e-9;
  std::vector<TimeInterval> communication;
  std::vector<TimeInterval> others;
  double kernel_ns = 0.0;
  double communication_ns = 0.0;
  double occupancy_ns = 0.0;
  double occupancy_weight_ns = 0.0;
  for (const profile::KernelActivity& kernel : kernels) {
    const auto duration = static_cast<double>(kernel.end_ns - kernel.start_ns);
    kernel_ns += duration;
    if (communicates(kernel)) communication_ns += duration;
    (communicates(kernel) ? communication : others).push_back({kernel.start_ns, kernel.end_ns});
    if (!device.compute_capability) continue;
    const std::optional<double> occupancy =
        theoretical_occupancy(*device.compute_capability, kernel, device.multiprocessors);
    if (!occupancy) continue;
    occupancy_ns += *occupancy * duration;
    occupancy_weight_ns += duration;
  }
  std::vector<TimeInterval> all = others;
  all.insert(all.end(), communication.begin(), communication.end());
  const std::int64_t hidden_ns =
      total_ns(intersection_of(union_of(std::move(communication)), union_of(std::move(others))));

  record::RankKernels result;
  result.step_s = elapsed_s / steps;
  result.kernel_s = kernel_ns * ns / steps;
  result.communication_s = communication_ns * ns / steps;
  result.hidden_s = static_cast<double>(hidden_ns) * ns / steps;
  if (elapsed_s <= 0.0) return result;
  result.busy =
      std::min(1.0, static_cast<double>(total_ns(union_of(std::move(all)))) * ns / elapsed_s);
  if (device.multiprocessors && *device.multiprocessors > 0) {
    result.sm_efficiency =
        std::min(1.0, covered_ns(kernels, *device.multiprocessors) * ns / elapsed_s);
  }
  if (occupancy_weight_ns > 0.0) result.occupancy = occupancy_ns / occupancy_weight_ns;
  return result;
}

}  // namespace rooflab::counters
