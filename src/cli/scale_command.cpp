#include "commands.hpp"
#include "interrupt.hpp"
#include "output_choice.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/report/scaling_view.hpp"
#include "rooflab/task/scale.hpp"

namespace rooflab::cli {
namespace {

struct ScaleCommand {
  task::ScaleRequest request;
  bool strict = false;
  OutputChoice output;
};

const Parameters& parameters_of(For<ScaleCommand>) {
  static const Parameters all = {
      part<&ScaleCommand::request>(),
      aside({parameter<&ScaleCommand::strict>("exit 1 also for a run with warnings")}),
      part<&ScaleCommand::output>(output_or_folder("the runs")),
  };
  return all;
}

void run(const ScaleCommand& given, Session& session) {
  // Everything that can be wrong is said before anything runs.
  ScaleCommand command = given;
  if (const auto folder = command.output.take_folder()) command.request.folder = *folder;
  command.output.check(true);
  const InterruptGuard guard;
  task::Session work = session.task();
  const task::ScaleResult result = task::run(command.request, work);
  if (result.reports) {
    command.output.write_with_page(
        report::scaling_view(result.scaling, task::ScaleRequest::command, session.command_line()),
        session.console);
    if (!command.request.folder.empty()) {
      session.console.say(format("runs are in {}", command.request.folder.string()));
    }
  } else {
    for (const record::ScaleRun& failed : result.runs) {
      session.console.error(format("{}: {}", failed.identity.model, failed.message), "");
    }
  }
  const bool fails = !result.all_ok() || (command.strict && result.doubtful());
  session.exit_code = result.interrupted && InterruptGuard::interrupted()
                          ? InterruptGuard::exit_code()
                          : static_cast<int>(fails);
}

}  // namespace

CommandSpec scale_command() {
  return command<ScaleCommand>(
      "scale", "train networks on several devices at once: speed-up, communication, prediction",
      run);
}

}  // namespace rooflab::cli
