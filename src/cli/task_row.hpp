#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "commands.hpp"
#include "describe/parameter_list.hpp"
#include "interrupt.hpp"
#include "output_choice.hpp"
#include "rooflab/base/error.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::cli {

/// Flags of a command in addition to its request: none, or one flag that makes a doubt a failure.
struct NoFlags {};
struct Strict {
  bool strict = false;
};
[[nodiscard]] inline Parameters strict_flag(const std::string& help) {
  return aside({parameter<&Strict::strict>(help)});
}

/// The command line of a task. `own`: the flags that the command adds to the request.
template <class Request, class Own>
struct TaskLine {
  Request request;
  Own own;
  OutputChoice output;
};

/// Output of a command and its exit code, which is 1 where a requested check failed.
struct Shown {
  std::optional<page::Document> document = {};  ///< nullopt: nothing more to show
  int exit_code = 0;
  std::optional<Error> failure = {};  ///< reported after the document
};

/// A row of the table of commands that run a task: its request, its result for people, its exit
/// code.
template <class Request, class Own = NoFlags>
struct TaskRow {
  using Line = TaskLine<Request, Own>;
  using Result = decltype(run(std::declval<Request>(), std::declval<task::Session&>()));

  std::string summary;
  Parameters own = {};
  std::string keeps = {};  ///< content of `-o DIR`: `records`; empty: -o takes only files
  bool timelines = false;  ///< `-o FILE.trace.json` writes the result's timeline
  /// Sets the members of the request that the files of `-o` need.
  void (*prepare)(Line& line) = [](Line&) {};
  /// Throws Error (usage) for flags that do not fit together.
  void (*check)(const Line& line) = [](const Line&) {};
  /// Whether Ctrl-C ends the work properly, with the results so far.
  bool (*stops)(const Request& request) = [](const Request&) { return false; };
  bool runs_command = false;  ///< runs a user's command, which has its own signals and exit code
  Shown (*show)(const Line& line, Result& result, Terminal& terminal) = nullptr;

  [[nodiscard]] CommandSpec command() const {
    Parameters table = {part<&Line::request>(), part<&Line::own>(own),
                        keeps.empty() ? part<&Line::output>()
                                      : part<&Line::output>(output_or_folder("the " + keeps))};
    return cli::command<Line>(
        std::string(Request::command), summary, std::move(table),
        [row = *this](const Line& line, Terminal& terminal) { row.do_task(line, terminal); });
  }

 private:
  void do_task(Line line, Terminal& terminal) const {
    // All errors of the request are reported before anything runs.
    check(line);
    std::string folder;
    if constexpr (requires { line.request.folder; }) {
      if (!keeps.empty()) line.request.folder = line.output.take_folder().value_or("");
      folder = line.request.folder.string();
    }
    line.output.check(timelines);
    prepare(line);
    if (stops(line.request)) {
      watch_interrupts();
      remove_abandoned_folders();
    }
    if (runs_command) watch_interrupts_beside_command();
    task::Session work = terminal.task();
    Result result = run(line.request, work);
    Shown shown = show(line, result, terminal);
    if constexpr (requires { result.failure; }) {
      if (result.failure) shown.failure = std::move(result.failure);
    }
    if (shown.document) {
      if (shown.document->command.empty()) shown.document->command = terminal.command_line();
      line.output.write(*shown.document, terminal.console);
      if (!folder.empty()) terminal.console.say(format("{} are in {}", keeps, folder));
    }
    if (shown.failure) throw *std::move(shown.failure);
    terminal.exit_code = interrupted() && !runs_command ? interrupt_exit_code() : shown.exit_code;
  }
};

}  // namespace rooflab::cli
