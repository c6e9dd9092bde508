#pragma once

#include <functional>
#include <optional>

#include "rooflab/record/kernel_table.hpp"

namespace rooflab::record {

/// Blocks and warps for each multiprocessor, as PyTorch's profiler has them, for every launch with
/// a grid on a device whose count of multiprocessors is known.
void set_occupation(KernelTable& kernels,
                    const std::function<std::optional<int>(int device)>& multiprocessors);

}  // namespace rooflab::record
