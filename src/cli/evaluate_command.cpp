#include "commands.hpp"
#include "interrupt.hpp"
#include "output_choice.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/report/training_view.hpp"
#include "rooflab/task/evaluate.hpp"

namespace rooflab::cli {
namespace {

struct EvaluateCommand {
  task::EvaluateRequest request;
  OutputChoice output;
};

const Parameters& parameters_of(For<EvaluateCommand>) {
  static const Parameters all = {part<&EvaluateCommand::request>(),
                                 part<&EvaluateCommand::output>()};
  return all;
}

void run(const EvaluateCommand& command, Session& session) {
  command.output.check(true);
  const InterruptGuard guard;
  task::Session work = session.task();
  const task::EvaluateResult result = task::run(command.request, work);
  if (result.interrupted) {
    session.exit_code = InterruptGuard::exit_code();
    return;
  }
  const report::Document document = report::evaluation_view(
      training::summarize_evaluations(result.evaluations), session.command_line());
  command.output.write_with_page(document, session.console);
}

}  // namespace

CommandSpec evaluate_command() {
  return command<EvaluateCommand>(
      "evaluate",
      "count what trained models get right on other labelled images, and what they confuse", run);
}

}  // namespace rooflab::cli
