#pragma once

#include <optional>
#include <string>

#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

/// What a whole recording says against itself, the first; nullopt: nothing.
[[nodiscard]] std::optional<std::string> contradiction_in(const Recording& recording);

}  // namespace rooflab::recording
