#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace rooflab::probe_worker {

/// Bytes of all last-level caches of the processors together, out of the kernel's folder
/// `/sys/devices/system/cpu`: a cache that several processors share counts once. nullopt when the
/// kernel does not say.
[[nodiscard]] std::optional<std::int64_t> last_level_caches(
    const std::filesystem::path& cpus = "/sys/devices/system/cpu");

}  // namespace rooflab::probe_worker
