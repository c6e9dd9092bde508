#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rooflab::monitor {

/// `model name` of the first processor of a /proc/cpuinfo; nullopt where it has none (ARM).
[[nodiscard]] std::optional<std::string> model_name_of(std::string_view cpuinfo);

/// `MemTotal` of a /proc/meminfo.
[[nodiscard]] std::optional<std::int64_t> total_bytes_of(std::string_view meminfo);

/// `PRETTY_NAME` of an os-release file, without its quotes.
[[nodiscard]] std::optional<std::string> system_name_of(std::string_view os_release);

}  // namespace rooflab::monitor
