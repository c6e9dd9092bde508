#include "commands.hpp"
#include "interrupt.hpp"
#include "output_choice.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/report/training_view.hpp"
#include "rooflab/task/train.hpp"

namespace rooflab::cli {
namespace {

struct TrainCommand {
  task::TrainRequest request;
  OutputChoice output;
};

const Parameters& parameters_of(For<TrainCommand>) {
  static const Parameters all = {part<&TrainCommand::request>(),
                                 part<&TrainCommand::output>(output_or_folder("the runs"))};
  return all;
}

void run(const TrainCommand& given, Session& session) {
  // Everything that can be wrong is said before anything runs.
  TrainCommand command = given;
  task::TrainRequest& request = command.request;
  if (request.report.empty()) {
    if (const auto folder = command.output.take_folder()) request.folder = *folder;
  }
  command.output.check(!request.try_advice);
  const InterruptGuard guard;
  task::Session work = session.task();
  const task::TrainResult result = task::run(request, work);
  if (request.try_advice) {
    command.output.write(report::trial_view(training::summarize_trials(result.trials)),
                         session.console);
  } else {
    command.output.write_with_page(report::training_view(result.summary, session.command_line()),
                                   session.console);
  }
  if (!request.folder.empty()) {
    session.console.say(format("runs are in {}", request.folder.string()));
  }
  session.exit_code = result.interrupted && InterruptGuard::interrupted()
                          ? InterruptGuard::exit_code()
                          : static_cast<int>(!result.all_well);
}

}  // namespace

CommandSpec train_command() {
  return command<TrainCommand>("train", "train to an accuracy, several times, with statistics",
                               run);
}

}  // namespace rooflab::cli
