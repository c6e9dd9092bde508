#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rooflab {

/// How many processes the kernel has killed since it started because memory was short, in a control
/// group too: `oom_kill` of the text of /proc/vmstat. nullopt: it does not say.
[[nodiscard]] std::optional<std::int64_t> memory_kills(std::string_view vmstat);

/// Memory kills of this machine; nullopt where they cannot be read.
[[nodiscard]] std::optional<std::int64_t> memory_kills_here();

}  // namespace rooflab
