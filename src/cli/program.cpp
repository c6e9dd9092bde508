#include "program.hpp"

#include <csignal>
#include <filesystem>
#include <new>

#include "commands.hpp"
#include "help_screen.hpp"
#include "parser.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/task/monitor.hpp"

namespace rooflab::cli {
namespace {

constexpr int exit_usage = 2;
constexpr int exit_capability = 3;

int report_error(const Session& session, const Error& error) {
  session.console.error(error.full_message(), error.hint());
  const auto* const not_started = dynamic_cast<const task::NotStarted*>(&error);
  if (not_started != nullptr) return not_started->exit_code();
  return error.kind() == ErrorKind::capability ? exit_capability : exit_usage;
}

void parse_and_run(std::vector<CommandSpec>& commands, Session& session, int argc, char** argv) {
  Parser parser(commands, session);
  const CommandLine line = parser.parse(argc, argv);
  switch (line.asked) {
    case CommandLine::Asked::version:
      return session.console.print(format("rooflab {}\n", ROOFLAB_VERSION));
    case CommandLine::Asked::manual:
      return session.console.print(manual_text(line.command, commands));
    case CommandLine::Asked::screen:
      return session.console.print(line.command == nullptr ? program_screen(commands)
                                                           : command_screen(*line.command));
    case CommandLine::Asked::run:
      if (line.command->run) line.command->run(line.given, session);
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  // A reader that has seen enough is not an error.
  std::signal(SIGPIPE, SIG_IGN);
  // Where it is ignored, nobody learns how a child ended.
  std::signal(SIGCHLD, SIG_DFL);
  Session session;
  std::vector<std::string> words = {"rooflab"};
  for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);
  session.command = shell_line(words);
  std::vector<CommandSpec> commands = all_commands();
  session.commands = commands;
  try {
    parse_and_run(commands, session, argc, argv);
  } catch (const Error& error) {
    return report_error(session, error);
  } catch (const std::bad_alloc&) {
    session.console.error("out of memory", "the input describes more than this machine can hold");
    return exit_usage;
  } catch (const std::filesystem::filesystem_error& error) {
    session.console.error(error.what(), "");
    return exit_usage;
  }
  return session.exit_code;
}

}  // namespace rooflab::cli
