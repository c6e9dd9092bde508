#pragma once

#include <optional>
#include <string>

#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

/// The first contradiction within a whole recording; nullopt: none.
[[nodiscard]] std::optional<std::string> contradiction_in(const Recording& recording);

}  // namespace rooflab::recording
