#include "commands.hpp"
#include "interrupt.hpp"
#include "output_choice.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/report/probe_view.hpp"
#include "rooflab/task/probe.hpp"

namespace rooflab::cli {
namespace {

struct ProbeCommand {
  task::ProbeRequest request;
  std::string chart;
  OutputChoice output;
};

const Parameters& parameters_of(For<ProbeCommand>) {
  static const Parameters all = {
      part<&ProbeCommand::request>(),
      parameter<&ProbeCommand::chart>("FILE", "draw the vector additions: .svg, .png or .pdf",
                                      {.completes = Completion::file}),
      part<&ProbeCommand::output>(),
  };
  return all;
}

/// One panel each for copied and for managed memory.
std::string vector_addition_picture(const device::Calibration& calibration, chart::Format format) {
  constexpr chart::Size panel = {900, 560};
  if (calibration.vector_additions.empty()) {
    const std::string only = flag_of<&task::ProbeRequest::only>();
    throw Error(
        ErrorKind::usage,
        rooflab::format("{}: this probe has no vector addition", flag_of<&ProbeCommand::chart>()),
        rooflab::format("{} vector_addition measures it, or leave {} out", only, only));
  }
  const chart::Chart panels[] = {report::vector_addition_chart(calibration, "device"),
                                 report::vector_addition_chart(calibration, "managed")};
  return chart::render_gnuplot_panels(panels, format, panel);
}

void run(const ProbeCommand& command, Session& session) {
  // Everything that can be wrong is said before anything runs.
  const task::ProbeRequest& request = command.request;
  std::optional<chart::Format> picture;
  if (!command.chart.empty()) {
    picture = picture_format(flag_of<&ProbeCommand::chart>(), command.chart, "-o FILE.html");
    check_place(command.chart);
  }
  if (!request.save.empty()) check_place(request.save);
  command.output.check(true);
  std::optional<InterruptGuard> guard;
  if (request.refit.empty() && request.from.empty()) guard.emplace();
  task::Session work = session.task();
  const task::ProbeResult result = task::run(request, work);
  if (result.interrupted) {
    session.exit_code = InterruptGuard::exit_code();
    return;
  }
  guard.reset();
  if (picture) {
    write_files({{command.chart, vector_addition_picture(result.probed.calibration, *picture)}},
                session.console);
  }
  const report::Document document = report::probe_view(result.probed, session.command_line());
  command.output.write_with_page(document, session.console);
}

}  // namespace

CommandSpec probe_command() {
  return command<ProbeCommand>(
      "probe", "measure what the device here can do, and calibrate predictions with it", run);
}

}  // namespace rooflab::cli
