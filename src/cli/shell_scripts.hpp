#pragma once

#include <span>
#include <string>

#include "command_spec.hpp"

namespace rooflab::cli {

// Scripts for shells that complete the program's commands, flags and values, also after a comma.
[[nodiscard]] std::string bash_completion(std::span<const CommandSpec> commands);
[[nodiscard]] std::string zsh_completion(std::span<const CommandSpec> commands);
[[nodiscard]] std::string fish_completion(std::span<const CommandSpec> commands);

}  // namespace rooflab::cli
