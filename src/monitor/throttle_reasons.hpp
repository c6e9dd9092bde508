#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rooflab::monitor {

/// Names of NVML's bits, lowest bit first: `gpu_idle`, `sw_power_cap`, ...; an unknown bit as
/// `0x200`. Without a set bit the list is empty: the clocks are not held down. Source: nvml.h,
/// nvmlClocksEventReasons.
[[nodiscard]] std::vector<std::string> throttle_reasons(std::uint64_t bits);

}  // namespace rooflab::monitor
