#pragma once

#include "rooflab/base/quantity.hpp"

namespace rooflab::monitor {

/// Time since the kernel started this process, in ticks of usually 10 ms. 0 without /proc.
[[nodiscard]] Seconds process_age();

/// Peak resident memory of this process.
[[nodiscard]] Bytes peak_resident();

}  // namespace rooflab::monitor
