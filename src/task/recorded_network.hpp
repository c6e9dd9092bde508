#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// A recording, in its own batch or in one between those of `settings.recorded`. Throws Error
/// (usage) for settings that a recording cannot take, and Error (input) for a wrong file.
[[nodiscard]] LoadedModel recorded_network(const std::string& file,
                                           std::optional<std::int64_t> batch,
                                           const NetworkSettings& settings);

}  // namespace rooflab::task
