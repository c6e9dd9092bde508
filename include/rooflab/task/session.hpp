#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/parameter.hpp"
#include "rooflab/base/shell_line.hpp"

/// What the program does, a header a command: a request, its table of members, a result, and the
/// function between them. Nothing here prints.
namespace rooflab::task {

/// What a task may use of the process that it runs in. A default one is silent and never stops.
struct Session {
  std::string version;  ///< version of the program, for records
  std::string command;  ///< the command line as typed, for records
  /// One line about how far the work is, in place of the last one; empty: takes it away.
  std::function<void(std::string_view line)> show_progress = [](std::string_view) {};
  bool shows_progress = false;  ///< to anyone: lines that cost much are made only then
  std::function<void(std::string_view line)> say_step = [](std::string_view) {};  ///< a step ended
  std::function<void(std::string_view line)> say = [](std::string_view) {};       ///< worth a line
  std::function<bool()> should_stop = [] { return false; };
};

/// The command line that does a request: `rooflab predict resnet18 --device t4`. Members that have
/// their default are left out.
template <class Request>
[[nodiscard]] std::string command_line_of(const Request& request) {
  std::vector<std::string> words = {"rooflab", std::string(Request::command)};
  for (std::string& word : words_of(request)) words.push_back(std::move(word));
  return shell_line(words);
}

}  // namespace rooflab::task
