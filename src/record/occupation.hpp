#pragma once

#include <functional>
#include <optional>

#include "rooflab/record/kernel_table.hpp"

namespace rooflab::record {

/// Sets blocks and warps per multiprocessor, as PyTorch's profiler defines them, for every launch
/// with a grid on a device with a known number of multiprocessors.
void set_occupation(KernelTable& kernels,
                    const std::function<std::optional<int>(int device)>& multiprocessors);

}  // namespace rooflab::record
