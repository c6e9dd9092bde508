#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/report/views.hpp"
#include "rooflab/task/probe.hpp"
#include "task_row.hpp"

namespace rooflab::cli {
namespace {

struct ProbeFlags {
  std::string chart;
};
const Parameters& parameters_of(For<ProbeFlags>) {
  static const Parameters all = parameter<&ProbeFlags::chart>(
      "FILE", "draw the vector additions: .svg, .png or .pdf", {.completes = Completion::file});
  return all;
}

chart::Format format_of_chart(const std::string& file) {
  return picture_format(flag_of<&ProbeFlags::chart>(), file, "-o FILE.html");
}

/// One panel each for copied and for managed memory, where there is anything to draw.
std::string vector_addition_picture(const device::Calibration& calibration, chart::Format format) {
  constexpr chart::Size panel = {900, 560};
  std::vector<chart::Chart> panels;
  for (const std::string_view memory : {"device", "managed"}) {
    chart::Chart chart = report::vector_addition_chart(calibration, memory);
    if (!chart.series.empty()) panels.push_back(std::move(chart));
  }
  if (panels.empty()) {
    throw Error(ErrorKind::capability,
                rooflab::format("{}: nothing to draw: this probe has no vector addition",
                                flag_of<&ProbeFlags::chart>()),
                rooflab::format("{} {} measures it; the notes say why it failed",
                                flag_of<&task::ProbeRequest::only>(),
                                name_of(task::ProbePart::vector_addition)));
  }
  return chart::render_gnuplot_panels(panels, format, panel);
}

/// Before minutes of measuring: a chart of what will not be measured.
void check_chart(const task::ProbeRequest& request, const std::string& file) {
  (void)format_of_chart(file);
  check_place(file);
  const bool measures = request.refit.empty() && request.from.empty();
  if (!measures || request.wants(task::ProbePart::vector_addition)) return;
  const std::string only = flag_of<&task::ProbeRequest::only>();
  throw Error(
      ErrorKind::usage,
      rooflab::format("{}: this probe has no vector addition", flag_of<&ProbeFlags::chart>()),
      rooflab::format("{} {} measures it, or leave {} out", only,
                      name_of(task::ProbePart::vector_addition), only));
}

}  // namespace

CommandSpec probe_command() {
  return TaskRow<task::ProbeRequest, ProbeFlags>{
      .summary = "benchmark this machine's device and calibrate predictions with the result",
      .own = parameters_of(For<ProbeFlags>{}),
      .check =
          [](const auto& line) {
            if (!line.own.chart.empty()) check_chart(line.request, line.own.chart);
            if (!line.request.save.empty()) check_place(line.request.save);
          },
      .stops = [](const auto& request) { return request.refit.empty() && request.from.empty(); },
      .show = [](const auto& line, auto& result, Terminal& terminal) -> Shown {
        if (result.interrupted) return {};
        Shown shown = {report::probe_view(result.probed, terminal.command_line()),
                       result.cut_short ? 1 : 0};
        const std::string& file = line.own.chart;
        if (file.empty()) return shown;
        try {
          write_files(
              {{file, vector_addition_picture(result.probed.calibration, format_of_chart(file))}},
              terminal.console);
        } catch (const Error& error) {
          shown.failure = error;
        }
        return shown;
      }}
      .command();
}

}  // namespace rooflab::cli
