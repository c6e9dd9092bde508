#include "program.hpp"

#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <exception>

#include "base/format.hpp"
#include "commands.hpp"
#include "help_screen.hpp"
#include "parser.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/task/monitor.hpp"
#include "system/fault.hpp"

namespace rooflab::cli {
namespace {

constexpr int exit_usage = 2;
constexpr int exit_capability = 3;

int report_error(const Terminal& terminal, const Error& error) {
  terminal.console.error(error.full_message(), error.hint());
  const auto* const not_started = dynamic_cast<const task::NotStarted*>(&error);
  if (not_started != nullptr) return not_started->exit_code();
  return error.kind() == ErrorKind::capability ? exit_capability : exit_usage;
}

void parse_and_run(std::span<const CommandSpec> commands, std::span<const std::string> words,
                   Terminal& terminal) {
  const CommandLine line = parse(commands, words, terminal);
  switch (line.asked) {
    case CommandLine::Asked::version:
      return terminal.console.print(format("rooflab {}\n", ROOFLAB_VERSION));
    case CommandLine::Asked::manual:
      return terminal.console.print(manual_text(line.command, commands));
    case CommandLine::Asked::screen:
      return terminal.console.print(line.command == nullptr ? program_screen(commands)
                                                            : command_screen(*line.command));
    case CommandLine::Asked::run:
      if (line.command->run) line.command->run(line.given, terminal);
  }
}

/// The terminal that a handler of last resort speaks in: threads have no other way to it.
const Terminal* terminal_at_work = nullptr;

/// Says what no code has caught, and of a fault who wants to know.
int report_unexpected(const Terminal& terminal) {
  terminal.console.clear_progress();
  return report_error(terminal,
                      error_at_hand(format("report it with this line, the version and the "
                                           "command: rooflab {}, {}",
                                           ROOFLAB_VERSION, terminal.command_line())));
}

/// An exception that leaves a thread, or a destructor, ends here.
[[noreturn]] void end_by_fault() {
  std::_Exit(report_unexpected(terminal_at_work == nullptr ? Terminal() : *terminal_at_work));
}

/// Closed standard streams take their numbers, so that no file gets them: what is written to such a
/// stream would go there, and a command would inherit it. Using them fails as if they were closed.
void occupy_closed_streams() {
  for (const int stream : {0, 1, 2}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free number, which is this one; it stays open with the program.
    (void)::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int run_program(std::span<const CommandSpec> commands, std::span<const std::string> words) {
  Terminal terminal;
  terminal.commands = commands;
  std::vector<std::string> line = {"rooflab"};
  line.insert(line.end(), words.begin(), words.end());
  terminal.command = shell_line(line);
  terminal_at_work = &terminal;
  int exit_code = 0;
  try {
    parse_and_run(commands, words, terminal);
    exit_code = terminal.exit_code;
  } catch (const Error& error) {
    exit_code = report_error(terminal, error);
  } catch (...) {
    exit_code = report_unexpected(terminal);
  }
  terminal_at_work = nullptr;
  return exit_code;
}

void say_faults_of_threads() { std::set_terminate(end_by_fault); }

int run_program(int argc, char** argv) {
  occupy_closed_streams();
  // A reader that has seen enough is not an error.
  std::signal(SIGPIPE, SIG_IGN);
  // Where it is ignored, nobody learns how a child ended.
  std::signal(SIGCHLD, SIG_DFL);
  say_faults_of_threads();
  return run_program(all_commands(),
                     std::vector<std::string>(argv + std::min(1, argc), argv + argc));
}

}  // namespace rooflab::cli
