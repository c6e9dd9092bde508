#include <filesystem>
#include <span>
#include <utility>

#include "analyze/timeline_record.hpp"
#include "base/format.hpp"
#include "finding_choice.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/report/views.hpp"
#include "rooflab/task/profile.hpp"
#include "task_row.hpp"

namespace rooflab::cli {
namespace {

struct ProfileFlags {
  report::ImportView rows;
  FindingChoice findings;
};

}  // namespace

CommandSpec profile_command() {
  return TaskRow<task::ProfileRequest, ProfileFlags>{
      .summary = "run any CUDA program and record its kernels: time, FLOPs, bytes",
      .own = {part<&ProfileFlags::rows>(import_rows()), part<&ProfileFlags::findings>()},
      .timelines = true,
      .check =
          [](const auto& line) {
            if (line.request.mode == profile::ProfileMode::trace ||
                !line.output.writes(page::Format::timeline)) {
              return;
            }
            throw Error(
                ErrorKind::usage,
                "-o: a profile with counters has times of its kernels, but not when each"
                " began",
                format("{} trace records a timeline", flag_of<&task::ProfileRequest::mode>()));
          },
      .runs_command = true,
      .show = [](const auto& line, auto& result, Terminal& terminal) -> Shown {
        const analyze::ResultSet& recorded = result.recorded;
        if (recorded.imported.empty()) return {.exit_code = result.exit_code};
        // The program owns stdout: the tables go to stderr.
        const std::string of = shell_line(line.request.program);
        page::Document document = line.own.findings.with(report::import_document(
            recorded.imported, recorded.job, line.own.rows, result.findings));
        document.title = format("Profile of {}", of);
        document.write_timeline =
            analyze::timelines_of(std::span(std::as_const(recorded.imported)));
        const Console& console = terminal.console;
        console.print_to_stderr(
            page::render(document, page::Format::table, console.style_on_stderr()));
        if (!line.output.files().empty()) {
          page::Document page =
              report::report_view(recorded, terminal.command_line(), 0, result.findings.all);
          page.title = format("Rooflab: profile of {}", of);
          line.output.write_files(document, page, console);
        }
        if (const std::string& keep = line.request.keep; !keep.empty()) {
          console.say(format("profile files are in {}", std::filesystem::absolute(keep).string()));
        }
        return {.exit_code = result.exit_code};
      }}
      .command();
}

}  // namespace rooflab::cli
