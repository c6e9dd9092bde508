#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/record/trace.hpp"

namespace rooflab::record {

/// Whether it is a kernel of NCCL: `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)`.
[[nodiscard]] bool is_nccl_kernel(std::string_view name);

/// `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)` is an `allreduce`; empty where the name does not
/// say.
[[nodiscard]] std::string collective_of_kernel(std::string_view name);

/// Adds the collective that a kernel of NCCL does on the device, as far as its name tells. False:
/// it is another kernel.
bool add_collective(std::vector<CommunicationEvent>& messages, std::string_view kernel,
                    std::int64_t start_ns, std::int64_t duration_ns);

}  // namespace rooflab::record
