#include "throttle_reasons.hpp"

#include <array>
#include <string_view>

#include "base/format.hpp"

namespace rooflab::monitor {
namespace {

constexpr std::array<std::string_view, 9> names = {
    "gpu_idle",   "application_clocks", "sw_power_cap",   "hw_slowdown",   "sync_boost",
    "sw_thermal", "hw_thermal",         "hw_power_brake", "display_clocks"};

}  // namespace

std::vector<std::string> throttle_reasons(std::uint64_t bits) {
  std::vector<std::string> reasons;
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((bits & bit) == 0) continue;
    reasons.push_back(i < names.size() ? std::string(names.at(i)) : format("{:#x}", bit));
  }
  return reasons;
}

}  // namespace rooflab::monitor
