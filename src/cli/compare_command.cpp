#include "commands.hpp"
#include "output_choice.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/report/compare_report.hpp"
#include "rooflab/task/compare.hpp"

namespace rooflab::cli {
namespace {

struct CompareCommand {
  task::CompareRequest request;
  bool strict = false;
  OutputChoice output;
};

const Parameters& parameters_of(For<CompareCommand>) {
  static const Parameters all = {
      part<&CompareCommand::request>(),
      aside({parameter<&CompareCommand::strict>(
          "exit 1 when B is significantly slower, or lacks a case of A")}),
      part<&CompareCommand::output>(),
  };
  return all;
}

void run(const CompareCommand& command, Session& session) {
  task::Session work = session.task();
  const analyze::ComparisonList list = task::run(command.request, work);
  command.output.write(report::compare_report(list), session.console);
  if (command.strict && task::is_worse(list)) session.exit_code = 1;
}

}  // namespace

CommandSpec compare_command() {
  return command<CompareCommand>(
      "compare", "say how much faster one result is than another, and whether it is significant",
      run);
}

}  // namespace rooflab::cli
