#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rooflab::monitor {

/// Value of `model name` of the first processor in a /proc/cpuinfo; nullopt where it is missing
/// (ARM).
[[nodiscard]] std::optional<std::string> model_name_of(std::string_view cpuinfo);

/// Value of `MemTotal` in a /proc/meminfo, in bytes.
[[nodiscard]] std::optional<std::int64_t> total_bytes_of(std::string_view meminfo);

/// Value of `PRETTY_NAME` in an os-release file, without its quotes.
[[nodiscard]] std::optional<std::string> system_name_of(std::string_view os_release);

}  // namespace rooflab::monitor
