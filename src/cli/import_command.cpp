#include "commands.hpp"
#include "import_rows.hpp"
#include "output_choice.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/task/import.hpp"

namespace rooflab::cli {
namespace {

struct ImportCommand {
  task::ImportRequest request;
  bool strict = false;
  report::ImportView rows;
  OutputChoice output;
};

const Parameters& parameters_of(For<ImportCommand>) {
  static const Parameters all = {
      part<&ImportCommand::request>(),
      parameter<&ImportCommand::strict>(
          "exit 1 when data were lost or the check found over 10 % missing"),
      part<&ImportCommand::rows>(import_rows()),
      part<&ImportCommand::output>(),
  };
  return all;
}

void run(const ImportCommand& command, Session& session) {
  command.output.check(false);
  task::Session work = session.task();
  const task::ImportResult result = task::run(command.request, work);
  if (!result.ncu_command.empty()) return session.console.print(result.ncu_command + "\n");
  command.output.write(
      report::import_view(result.recorded.imported, result.recorded.job, command.rows),
      session.console);
  if (command.strict && !result.complete()) session.exit_code = 1;
}

}  // namespace

Parameters import_rows() {
  return {
      parameter<&report::ImportView::per>("ROW", "one row of the first table per"),
      parameter<&report::ImportView::top>("N", "rows per table of kernels or operators; 0 for all",
                                          {.example = "20, or 0 for all", .least = 0})};
}

CommandSpec import_command() {
  return command<ImportCommand>("import",
                                "read what Nsight Compute or the PyTorch profiler recorded", run);
}

}  // namespace rooflab::cli
