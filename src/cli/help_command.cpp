#include "commands.hpp"
#include "help_screen.hpp"
#include "rooflab/base/parameter_list.hpp"

namespace rooflab::cli {
namespace {

struct HelpCommand {
  std::string command;
};

const Parameters& parameters_of(For<HelpCommand>) {
  static const Parameters all = {
      parameter<&HelpCommand::command>("COMMAND", "the command; without it, the program's manual",
                                       {.positional = true, .completes = Completion::command})};
  return all;
}

void run(const HelpCommand& help, Session& session) {
  const CommandSpec* const command =
      help.command.empty() ? nullptr : &session.find_command(help.command);
  session.console.print(manual_text(command, session.commands));
}

}  // namespace

CommandSpec help_command() { return command<HelpCommand>("help", "print a manual", run); }

}  // namespace rooflab::cli
