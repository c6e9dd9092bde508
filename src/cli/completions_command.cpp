#include <filesystem>

#include "base/format.hpp"
#include "commands.hpp"
#include "describe/parameter_list.hpp"
#include "manual_page.hpp"
#include "output_choice.hpp"
#include "rooflab/base/error.hpp"
#include "shell_scripts.hpp"

namespace rooflab::cli {
namespace {

enum class Script { bash, zsh, fish, man };
constexpr auto names_in_order(For<Script>) {
  return names_through<Script::man>("bash", "zsh", "fish", "man");
}

struct CompletionsCommand {
  Script kind = Script::bash;
  std::string page;
  std::string into;
};

void write_pages(const std::filesystem::path& folder, const Terminal& terminal) {
  std::vector<OutputFile> files = {{folder / "rooflab.1", manual_page(nullptr, terminal.commands)}};
  for (const CommandSpec& each : terminal.commands) {
    files.push_back(
        {folder / format("rooflab-{}.1", each.name), manual_page(&each, terminal.commands)});
  }
  write_files(files, terminal.console);
}

void print_script(const CompletionsCommand& command, Terminal& terminal) {
  switch (command.kind) {
    case Script::bash:
      return terminal.console.print(bash_completion(terminal.commands));
    case Script::zsh:
      return terminal.console.print(zsh_completion(terminal.commands));
    case Script::fish:
      return terminal.console.print(fish_completion(terminal.commands));
    case Script::man:
      if (!command.into.empty()) return write_pages(command.into, terminal);
      terminal.console.print(
          manual_page(command.page.empty() ? nullptr : &terminal.find_command(command.page),
                      terminal.commands));
  }
}

}  // namespace

CommandSpec completions_command() {
  const Need for_man = {key_of<&CompletionsCommand::kind>(), {"man"}};
  return command<CompletionsCommand>(
      "completions", "print shell completions (bash, zsh, fish) or manual pages (man)",
      {parameter<&CompletionsCommand::kind>("KIND", "what to print",
                                            {.positional = true, .required = true}),
       parameter<&CompletionsCommand::page>(
           "COMMAND", "for man: the page of this command",
           {.positional = true, .needs = {for_man}, .completes = Completion::command}),
       parameter<&CompletionsCommand::into>(
           "DIR", "for man: write all pages into this folder",
           {.needs = {for_man}, .writes = true, .completes = Completion::folder})},
      print_script);
}

}  // namespace rooflab::cli
