#include "commands.hpp"
#include "interrupt.hpp"
#include "output_choice.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/report/measure_view.hpp"
#include "rooflab/task/measure.hpp"

namespace rooflab::cli {
namespace {

struct MeasureCommand {
  task::MeasureRequest request;
  bool strict = false;
  OutputChoice output;
};

const Parameters& parameters_of(For<MeasureCommand>) {
  static const Parameters all = {
      part<&MeasureCommand::request>(),
      aside({parameter<&MeasureCommand::strict>(
          "exit 1 also for a suspect result or an op that was not counted")}),
      part<&MeasureCommand::output>(output_or_folder("the records")),
  };
  return all;
}

void run(const MeasureCommand& given, Session& session) {
  // Everything that can be wrong is said before anything runs.
  MeasureCommand command = given;
  if (const auto folder = command.output.take_folder()) command.request.folder = *folder;
  command.output.check(true);
  if (command.request.per_layer && command.request.no_layers) {
    throw Error(ErrorKind::usage,
                format("{} and {} exclude each other", flag_of<&task::MeasureRequest::per_layer>(),
                       flag_of<&task::MeasureRequest::no_layers>()),
                "without either, layers are timed and shown by class");
  }
  const InterruptGuard guard;
  task::Session work = session.task();
  const task::MeasureResult result = task::run(command.request, work);
  const report::Document document =
      report::measure_view(result.cases, session.command_line(), command.request.per_layer);
  command.output.write_with_page(document, session.console);
  if (!command.request.folder.empty()) {
    session.console.say(format("records are in {}", command.request.folder.string()));
  }
  const bool fails = !result.all_ok() || (command.strict && result.doubtful());
  session.exit_code = result.interrupted && InterruptGuard::interrupted()
                          ? InterruptGuard::exit_code()
                          : static_cast<int>(fails);
}

}  // namespace

CommandSpec measure_command() {
  return command<MeasureCommand>(
      "measure", "run networks here: time, memory and energy beside limit and prediction", run);
}

}  // namespace rooflab::cli
