#pragma once

#include <span>
#include <string>

#include "command_spec.hpp"

namespace rooflab::cli {

/// `rooflab -h`.
[[nodiscard]] std::string program_screen(std::span<const CommandSpec> commands);
/// `rooflab COMMAND -h`.
[[nodiscard]] std::string command_screen(const CommandSpec& command);
/// `N,...`; of one that takes one value only `N`.
[[nodiscard]] std::string shown_value(const Parameter& parameter);
/// `usage: rooflab predict MODEL... [OPTION]...`.
[[nodiscard]] std::string usage_line(const CommandSpec& command);
/// The positionals and flags of a command, a line or two each.
[[nodiscard]] std::string option_table(const CommandSpec& command);
/// `rooflab COMMAND --help`: its page of docs/commands with the option table. nullptr: the program's.
[[nodiscard]] std::string manual_text(const CommandSpec* command,
                                      std::span<const CommandSpec> commands);

}  // namespace rooflab::cli
