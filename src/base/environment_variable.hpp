#pragma once

#include <optional>
#include <string>

namespace rooflab {

/// A variable of this process's environment; nullopt when it is not set.
[[nodiscard]] std::optional<std::string> environment_variable(const char* name);

}  // namespace rooflab
