#pragma once

#include <span>
#include <string>

#include "command_spec.hpp"

namespace rooflab::cli {

/// Text of `rooflab -h`.
[[nodiscard]] std::string program_screen(std::span<const CommandSpec> commands);
/// Text of `rooflab COMMAND -h`.
[[nodiscard]] std::string command_screen(const CommandSpec& command);
/// Value of a parameter in help: `N,...`, or `N` if it takes only one value.
[[nodiscard]] std::string shown_value(const Parameter& parameter);
/// Usage of a command: `usage: rooflab predict MODEL... [OPTION]...`.
[[nodiscard]] std::string usage_line(const CommandSpec& command);
/// Positionals and flags of a command, one or two lines each.
[[nodiscard]] std::string option_table(const CommandSpec& command);
/// Text of `rooflab COMMAND --help`: its page in docs/commands with the option table. nullptr: page
/// of the program.
[[nodiscard]] std::string manual_text(const CommandSpec* command,
                                      std::span<const CommandSpec> commands);

}  // namespace rooflab::cli
