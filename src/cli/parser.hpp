#pragma once

#include <memory>
#include <vector>

#include "command_spec.hpp"

namespace rooflab::cli {

/// What a command line asks for.
struct CommandLine {
  enum class Asked { run, screen, manual, version };
  Asked asked = Asked::run;
  const CommandSpec* command = nullptr;  ///< nullptr: the program itself
  GivenWords given;
};

/// Takes command lines apart by the table of commands, with CLI11: the only source that includes
/// it.
class Parser {
 public:
  /// Both must outlive this. Fills in the parameters of commands that tell the parser by
  /// themselves.
  Parser(std::vector<CommandSpec>& commands, Session& session);
  ~Parser();

  /// Throws Error (usage), with a hint for words that other tools use.
  [[nodiscard]] CommandLine parse(int argc, char** argv);

 private:
  struct Apps;
  std::unique_ptr<Apps> apps_;
};

/// The flags that every command has, besides -h and --help.
[[nodiscard]] const CommandSpec& common_flags();

}  // namespace rooflab::cli
