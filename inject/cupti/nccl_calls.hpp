#pragma once

#include <vector>

#include "profile/profile_writer.hpp"

namespace rooflab::inject {

/// Messages that the calling thread gave to NCCL since the last call of this function, which the
/// next of NCCL's kernels sends.
[[nodiscard]] std::vector<profile::ProfileMessage> take_nccl_messages();

}  // namespace rooflab::inject
