#pragma once

#include "rooflab/base/figure_key.hpp"

namespace rooflab::monitor {

/// Time since the kernel started this process, in ticks of usually 10 ms. 0 without /proc.
[[nodiscard]] Seconds process_age();

/// The most memory that this process had resident.
[[nodiscard]] Bytes peak_resident();

}  // namespace rooflab::monitor
