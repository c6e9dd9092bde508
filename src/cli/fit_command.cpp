#include "commands.hpp"
#include "interrupt.hpp"
#include "output_choice.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/report/fit_view.hpp"
#include "rooflab/task/fit.hpp"

namespace rooflab::cli {
namespace {

struct FitCommand {
  task::FitRequest request;
  OutputChoice output;
};

const Parameters& parameters_of(For<FitCommand>) {
  static const Parameters all = {part<&FitCommand::request>(),
                                 part<&FitCommand::output>(output_or_folder("the tries"))};
  return all;
}

void run(const FitCommand& given, Session& session) {
  FitCommand command = given;
  // Everything that can be wrong is said before anything runs.
  if (const auto folder = command.output.take_folder()) command.request.folder = *folder;
  command.output.check(true);
  std::optional<InterruptGuard> guard;
  if (command.request.measure) guard.emplace();
  task::Session work = session.task();
  const task::FitOutcome outcome = task::run(command.request, work);
  const report::Document document = report::fit_view(outcome.result);
  command.output.write_with_page(document, session.console);
  if (!command.request.folder.empty()) {
    session.console.say(
        format("tries are in {}", (command.request.folder / task::tries_file).string()));
  }
  session.exit_code = outcome.interrupted      ? InterruptGuard::exit_code()
                      : outcome.nothing_fits() ? 1
                                               : 0;
}

}  // namespace

CommandSpec fit_command() {
  return command<FitCommand>("fit",
                             "find the largest batch, or chain of layers, that fits a device", run);
}

}  // namespace rooflab::cli
