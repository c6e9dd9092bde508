#pragma once

#include <cstdint>
#include <string>

namespace rooflab {

/// Seconds of Unix time as ISO 8601 in UTC: `2026-11-21T14:00:00Z`.
[[nodiscard]] std::string utc_time(std::int64_t unix_s);

}  // namespace rooflab
