#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace rooflab::probe_worker {

/// Total bytes of the processors' last-level caches, from the kernel's folder
/// `/sys/devices/system/cpu`; a shared cache counts once. nullopt: not known.
[[nodiscard]] std::optional<std::int64_t> last_level_caches(
    const std::filesystem::path& cpus = "/sys/devices/system/cpu");

}  // namespace rooflab::probe_worker
