#include "commands.hpp"
#include "output_choice.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/report/predict_view.hpp"
#include "rooflab/report/scaling_view.hpp"
#include "rooflab/task/predict.hpp"

namespace rooflab::cli {
namespace {

struct PredictCommand {
  task::PredictRequest request;
  bool layers = false;
  bool explain = false;
  bool strict = false;
  OutputChoice output;
};

const Parameters& parameters_of(For<PredictCommand>) {
  static const Parameters all = {
      part<&PredictCommand::request>(),
      aside({parameter<&PredictCommand::layers>("add a layer table for every case"),
             parameter<&PredictCommand::explain>(
                 "what the predicted time is made of, a table for every case"),
             parameter<&PredictCommand::strict>(
                 "exit 1 when an op was not counted, or a device lacks a figure")}),
      part<&PredictCommand::output>(),
  };
  return all;
}

void run(const PredictCommand& command, Session& session) {
  if (!command.request.gpus.empty() && (command.layers || command.explain)) {
    throw Error(ErrorKind::usage,
                format("{} and {} are of one device", flag_of<&PredictCommand::layers>(),
                       flag_of<&PredictCommand::explain>()),
                format("leave {} out", flag_of<&task::PredictRequest::gpus>()));
  }
  task::Session work = session.task();
  const task::PredictResult result = task::run(command.request, work);
  const std::string line = session.command_line();
  if (!result.scaled.series.empty()) {
    return command.output.write_with_page(
        report::scaling_view(result.scaled, task::PredictRequest::command, line), session.console);
  }
  const report::Document document = report::predict_view(
      result.cases, {.layers = command.layers, .explain = command.explain, .command = line});
  command.output.write_with_page(document, session.console);
  if (command.strict && !task::is_complete(result.cases)) session.exit_code = 1;
}

}  // namespace

CommandSpec predict_command() {
  return command<PredictCommand>(
      "predict", "limit, expected time and memory of networks on devices that need not be here",
      run);
}

}  // namespace rooflab::cli
