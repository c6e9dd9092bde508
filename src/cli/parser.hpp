#pragma once

#include <span>
#include <string>

#include "command_spec.hpp"

namespace rooflab::cli {

/// A parsed command line.
struct CommandLine {
  enum class Asked { run, screen, manual, version };
  Asked asked = Asked::run;
  const CommandSpec* command = nullptr;  ///< nullptr: the program itself
  GivenWords given;
};

/// Parses a command line by the table of commands, which must outlive the result. `words`: the
/// words after the program's name. Applies the common flags at once. Throws Error (usage), with a
/// hint for words that other tools use.
[[nodiscard]] CommandLine parse(std::span<const CommandSpec> commands,
                                std::span<const std::string> words, Terminal& terminal);

/// The flags of every command except -h and --help.
[[nodiscard]] const CommandSpec& common_flags();

}  // namespace rooflab::cli
