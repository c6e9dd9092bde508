#include <filesystem>

#include "commands.hpp"
#include "import_rows.hpp"
#include "output_choice.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/report/report_view.hpp"
#include "rooflab/task/profile.hpp"

namespace rooflab::cli {
namespace {

struct ProfileCommand {
  task::ProfileRequest request;
  report::ImportView rows;
  OutputChoice output;
};

const Parameters& parameters_of(For<ProfileCommand>) {
  static const Parameters all = {part<&ProfileCommand::request>(),
                                 part<&ProfileCommand::rows>(import_rows()),
                                 part<&ProfileCommand::output>()};
  return all;
}

void run(const ProfileCommand& command, Session& session) {
  // Everything that can be wrong is said before the program starts.
  command.output.check();
  task::Session work = session.task();
  const task::ProfileRequest& request = command.request;
  const task::ProfileResult result = task::run(request, work);
  session.exit_code = result.exit_code;
  const analyze::ResultSet& recorded = result.recorded;
  if (recorded.imported.empty()) return;

  // The program owns stdout: the tables go to stderr.
  const std::string of = shell_line(request.program);
  report::Document document = report::import_view(recorded.imported, recorded.job, command.rows);
  document.title = format("Profile of {}", of);
  const Console& console = session.console;
  console.print_to_stderr(
      report::render(document, report::Format::table, {console.color_on_stderr()}));
  if (!command.output.output.empty()) {
    report::Document page = report::report_view(recorded, session.command_line());
    page.title = format("Rooflab: profile of {}", of);
    command.output.write(document, page, console);
  }
  if (request.keep.empty()) return;
  console.say(format("profile files are in {}", std::filesystem::absolute(request.keep).string()));
}

}  // namespace

CommandSpec profile_command() {
  return command<ProfileCommand>(
      "profile", "run any CUDA program and record its kernels: time, FLOPs, bytes", run);
}

}  // namespace rooflab::cli
