#include "commands.hpp"
#include "interrupt.hpp"
#include "output_choice.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/report/partition_view.hpp"
#include "rooflab/task/partition.hpp"

namespace rooflab::cli {
namespace {

struct PartitionCommand {
  task::PartitionRequest request;
  OutputChoice output;
};

const Parameters& parameters_of(For<PartitionCommand>) {
  static const Parameters all = {part<&PartitionCommand::request>(),
                                 part<&PartitionCommand::output>()};
  return all;
}

void run(const PartitionCommand& command, Session& session) {
  command.output.check(true);
  std::optional<InterruptGuard> guard;
  if (command.request.measure) guard.emplace();
  task::Session work = session.task();
  const analyze::PartitionResult result = task::run(command.request, work);
  const report::Document document = report::partition_view(result);
  command.output.write_with_page(document, session.console);
  const bool failed = result.run && result.run->status != record::Status::ok;
  session.exit_code = InterruptGuard::interrupted()
                          ? InterruptGuard::exit_code()
                          : static_cast<int>(failed || !result.outcome.plan);
}

}  // namespace

CommandSpec partition_command() {
  return command<PartitionCommand>(
      "partition", "cut a network into stages over several devices, and run them", run);
}

}  // namespace rooflab::cli
