#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "profile/activity_trace.hpp"
#include "rooflab/record/scale_run.hpp"

namespace rooflab::counters {

/// What the kernels of `steps` steps, which took `elapsed_s` together, say of one rank of a
/// data-parallel run. Kernels whose name holds `nccl` are communication. Definitions of busy, SM
/// efficiency and occupancy as in analyze/trace_devices.hpp; the last two are absent without the
/// device's multiprocessors or compute capability.
[[nodiscard]] record::RankKernels rank_kernels(std::span<const profile::KernelActivity> kernels,
                                               const record::DeviceIdentity& device,
                                               double elapsed_s, int steps);

/// Warps that a multiprocessor of this compute capability (`9.0`) can hold at once of such a kernel
/// over the most that it can hold, 0 to 1; its grid counts too when it is too small for that.
/// nullopt: an unknown chip, or a block that cannot run there.
/// Source: CUDA C++ Programming Guide, table of technical specifications per compute capability.
[[nodiscard]] std::optional<double> theoretical_occupancy(const std::string& compute_capability,
                                                          const profile::KernelActivity& kernel,
                                                          std::optional<int> multiprocessors);

}  // namespace rooflab::counters
