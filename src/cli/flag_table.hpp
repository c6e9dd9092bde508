#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace rooflab::cli {

/// One flag or positional as shell completions and the manual page list it.
struct FlagRow {
  std::string names;  ///< `-o,--output`; a positional's value: `MODEL`
  std::string value;  ///< `FILE`; empty for a switch
  std::string description;
  bool positional = false;
  std::vector<std::string> long_names{};  ///< `output`
};

struct CommandRow {
  std::string name;
  std::string description;
  std::vector<FlagRow> flags;
};

/// Every subcommand with its flags, read off the parser itself.
[[nodiscard]] std::vector<CommandRow> flag_table(Command program);

}  // namespace rooflab::cli
