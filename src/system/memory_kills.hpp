#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rooflab {

/// Number of processes that the kernel has killed since its start because memory was short, also in
/// control groups: `oom_kill` in the text of /proc/vmstat. nullopt: not in the text.
[[nodiscard]] std::optional<std::int64_t> memory_kills(std::string_view vmstat);

/// Number of memory kills of this machine; nullopt where it cannot be read.
[[nodiscard]] std::optional<std::int64_t> memory_kills_here();

}  // namespace rooflab
