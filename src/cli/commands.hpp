#pragma once

#include <span>
#include <string>
#include <vector>

#include "command_spec.hpp"
#include "console.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::cli {

/// Environment of every command.
struct Terminal {
  Console console;
  std::string command;  ///< the command line as typed, or as a request repeats it
  int exit_code = 0;    ///< set by a command whose check failed
  std::span<const CommandSpec> commands;

  [[nodiscard]] const std::string& command_line() const { return command; }
  /// Finds a command. Throws Error (usage) for an unknown name.
  [[nodiscard]] const CommandSpec& find_command(const std::string& name) const;
  /// The terminal of a task: shows progress on this console, and stops at Ctrl-C after
  /// watch_interrupts().
  [[nodiscard]] task::Session task() const;
};

/// Files docs/commands/*.md, compiled into the program.
[[nodiscard]] std::span<const EmbeddedFile> help_texts();

/// Flags `--per` and `--top` of report::ImportView.
[[nodiscard]] Parameters import_rows();

/// The table of commands, in the order of `rooflab -h`.
[[nodiscard]] std::vector<CommandSpec> all_commands();

}  // namespace rooflab::cli
