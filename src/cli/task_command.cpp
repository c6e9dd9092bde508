#include "base/exit_status.hpp"
#include "base/format.hpp"
#include "commands.hpp"
#include "describe/parameter_list.hpp"
#include "describe/schema.hpp"
#include "output_choice.hpp"
#include "rooflab/task/measure.hpp"
#include "rooflab/task/request_kind.hpp"

namespace rooflab::cli {
namespace {

struct TaskCommand {
  std::filesystem::path request;
  std::string result;
  std::string folder;
};

void do_request(const TaskCommand& command, Terminal& terminal) {
  const auto file = load_file<task::RequestFile>(command.request);
  const CommandSpec& asked = terminal.find_command(file.command);
  GivenWords given = file.request;
  std::vector<std::string>& outputs = given[parameter_of<&OutputChoice::output>().key];
  outputs.push_back(command.result);
  if (!command.folder.empty()) {
    outputs.push_back(command.folder);
    given[parameter_of<&task::MeasureRequest::resume>().key] = {};
  }
  for (const auto& [key, words] : given) {
    if (asked.parameters.find(key) != nullptr) continue;
    throw Error(ErrorKind::input, format("{} has no '{}'", file.command, key),
                format("rooflab {} -h lists what it has", file.command),
                {.file = command.request.string(), .line = {}, .column = {}, .byte_offset = {}});
  }
  terminal.command = file.command_line;
  terminal.console.hide_results();
  try {
    asked.run(given, terminal);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::system) throw;
    terminal.console.error(error.full_message(), error.hint());
    terminal.exit_code = system_exit_status;
    // A user's program may end with that status too; a full disk lets us remove.
    std::error_code ignored;
    std::filesystem::remove(command.request, ignored);
  }
}

}  // namespace

CommandSpec task_command() {
  const auto file =
      ParameterText{.positional = true, .required = true, .completes = Completion::file};
  return command<TaskCommand>(
      "task", "run the request in a file, as a study does for its cases",
      {parameter<&TaskCommand::request>("REQUEST", "file of the request", file),
       parameter<&TaskCommand::result>("RESULT", "file for the result, JSON", file),
       parameter<&TaskCommand::folder>("FOLDER",
                                       "folder for the state that the command can resume from",
                                       {.positional = true, .completes = Completion::folder})},
      do_request);
}

}  // namespace rooflab::cli
