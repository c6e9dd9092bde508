#pragma once

#include <span>
#include <string>

#include "command_spec.hpp"

namespace rooflab::cli {

/// Page for man(1), section 1, of a command or of the program (nullptr).
[[nodiscard]] std::string manual_page(const CommandSpec* command,
                                      std::span<const CommandSpec> commands);

}  // namespace rooflab::cli
