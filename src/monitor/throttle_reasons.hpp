#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rooflab::monitor {

/// NVML's bits as names, lowest bit first: `gpu_idle`, `sw_power_cap`, ...; a bit that is not known
/// here as `0x200`. None is set: an empty list, the clocks are not held down.
/// Source: nvml.h, nvmlClocksEventReasons.
[[nodiscard]] std::vector<std::string> throttle_reasons(std::uint64_t bits);

}  // namespace rooflab::monitor
