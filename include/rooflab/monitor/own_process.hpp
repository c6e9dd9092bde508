#pragma once

#include "rooflab/base/quantity.hpp"

namespace rooflab::monitor {

/// Since the kernel started this process; it counts in ticks of usually 10 ms. 0 without /proc.
[[nodiscard]] Seconds process_age();

/// The most memory that this process had resident.
[[nodiscard]] Bytes peak_resident();

}  // namespace rooflab::monitor
