#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/record/trace.hpp"

namespace rooflab::record {

/// Whether a name is that of a kernel of NCCL: `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)`.
[[nodiscard]] bool is_nccl_kernel(std::string_view name);

/// Collective of a kernel by its name: `allreduce` for
/// `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)`; empty: not in the name.
[[nodiscard]] std::string collective_of_kernel(std::string_view name);

/// Adds the collective of a kernel of NCCL on the device, by its name. False: another kernel.
bool add_collective(std::vector<CommunicationEvent>& messages, std::string_view kernel,
                    std::int64_t start_ns, std::int64_t duration_ns);

}  // namespace rooflab::record
