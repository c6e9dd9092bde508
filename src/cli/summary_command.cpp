#include "commands.hpp"
#include "output_choice.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/report/summary_report.hpp"
#include "rooflab/task/summary.hpp"

namespace rooflab::cli {
namespace {

struct SummaryCommand {
  task::SummaryRequest request;
  std::optional<int> depth;
  bool strict = false;
  OutputChoice output;
};

const Parameters& parameters_of(For<SummaryCommand>) {
  static const Parameters all = {
      part<&SummaryCommand::request>(),
      aside({parameter<&SummaryCommand::depth>("D", "fold scopes deeper than this many levels",
                                               {.example = "2"}),
             parameter<&SummaryCommand::strict>("exit 1 when an op was not counted")}),
      part<&SummaryCommand::output>(),
  };
  return all;
}

void run(const SummaryCommand& command, Session& session) {
  task::Session work = session.task();
  const task::SummaryResult result = task::run(command.request, work);
  command.output.write(report::summary_report(analyze::summarize_network(
                           result.schedule, result.model, command.depth, result.notes)),
                       session.console);
  if (command.strict && !result.complete) session.exit_code = 1;
}

}  // namespace

CommandSpec summary_command() {
  return command<SummaryCommand>("summary", "count a network: layers, MACs, FLOPs, bytes", run);
}

}  // namespace rooflab::cli
