#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "profile/activity_trace.hpp"
#include "rooflab/record/scale_run.hpp"

namespace rooflab::counters {

/// Figures of one rank of a data-parallel run from the kernels of `steps` steps, which took
/// `elapsed_s` together. Kernels whose name contains `nccl` are communication. Busy time, SM
/// efficiency and occupancy are defined as in trace::DeviceUse; the last two are nullopt without
/// the device's multiprocessors or compute capability.
[[nodiscard]] record::RankKernels rank_kernels(std::span<const profile::KernelActivity> kernels,
                                               const record::DeviceIdentity& device,
                                               double elapsed_s, int steps);

/// Theoretical occupancy, 0 to 1: warps of this kernel that a multiprocessor of this compute
/// capability (`9.0`) can hold at once, over its maximum. A grid that is too small reduces it.
/// nullopt: an unknown chip, or a block that cannot run there. Source: CUDA C++ Programming Guide,
/// table of technical specifications per compute capability.
[[nodiscard]] std::optional<double> theoretical_occupancy(const std::string& compute_capability,
                                                          const profile::KernelActivity& kernel,
                                                          std::optional<int> multiprocessors);

}  // namespace rooflab::counters
