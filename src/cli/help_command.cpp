#include "commands.hpp"
#include "describe/parameter_list.hpp"
#include "help_screen.hpp"

namespace rooflab::cli {
namespace {

struct HelpCommand {
  std::string command;
};

}  // namespace

CommandSpec help_command() {
  return command<HelpCommand>(
      "help", "print a manual",
      parameter<&HelpCommand::command>("COMMAND", "the command; without it, the program's manual",
                                       {.positional = true, .completes = Completion::command}),
      [](const HelpCommand& help, Terminal& terminal) {
        const CommandSpec* const command =
            help.command.empty() ? nullptr : &terminal.find_command(help.command);
        terminal.console.print(manual_text(command, terminal.commands));
      });
}

}  // namespace rooflab::cli
