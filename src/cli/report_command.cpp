#include "commands.hpp"
#include "output_choice.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/report/report_view.hpp"
#include "rooflab/task/report.hpp"

namespace rooflab::cli {
namespace {

struct ReportCommand {
  task::ReportRequest request;
  std::string title;
  std::size_t top = 20;
  OutputChoice output;
};

const Parameters& parameters_of(For<ReportCommand>) {
  static const Parameters all = {
      part<&ReportCommand::request>(),
      parameter<&ReportCommand::title>("TEXT", "title of the page"),
      parameter<&ReportCommand::top>("N", "rows per table in text and Markdown; 0 for all",
                                     {.example = "20, or 0 for all", .least = 0}),
      part<&ReportCommand::output>(),
  };
  return all;
}

void run(const ReportCommand& command, Session& session) {
  command.output.check(true);
  // Everything is read before anything is written: one bad file leaves nothing half done.
  task::Session work = session.task();
  const analyze::ResultSet results = task::run(command.request, work);
  report::Document document = report::report_view(results, session.command_line(), command.top);
  if (!command.title.empty()) document.title = command.title;
  command.output.write_with_page(document, session.console);
}

}  // namespace

CommandSpec report_command() {
  return command<ReportCommand>("report", "put any results onto one page", run);
}

}  // namespace rooflab::cli
