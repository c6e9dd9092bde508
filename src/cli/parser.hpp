#pragma once

#include <span>
#include <string>

#include "command_spec.hpp"

namespace rooflab::cli {

/// What a command line asks for.
struct CommandLine {
  enum class Asked { run, screen, manual, version };
  Asked asked = Asked::run;
  const CommandSpec* command = nullptr;  ///< nullptr: the program itself
  GivenWords given;
};

/// Takes a command line apart by the table of commands, which must outlive the result. `words` are
/// those behind the program's name. Obeys the common flags at once. Throws Error (usage), with a
/// hint for words that other tools use.
[[nodiscard]] CommandLine parse(std::span<const CommandSpec> commands,
                                std::span<const std::string> words, Session& session);

/// The flags that every command has, besides -h and --help.
[[nodiscard]] const CommandSpec& common_flags();

}  // namespace rooflab::cli
