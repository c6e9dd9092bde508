#pragma once

#include <string>
#include <string_view>

namespace rooflab::import {

/// Whether it is a kernel of NCCL: `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)`.
[[nodiscard]] bool is_nccl_kernel(std::string_view name);

/// `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)` is an `allreduce`; empty where the name does not
/// say.
[[nodiscard]] std::string collective_of_kernel(std::string_view name);

}  // namespace rooflab::import
