#include <algorithm>
#include <filesystem>

#include "base/format.hpp"
#include "chart/renderers.hpp"
#include "commands.hpp"
#include "describe/parameter_list.hpp"
#include "output_choice.hpp"
#include "plotly_bundle.hpp"
#include "report/measured_roofs.hpp"
#include "report/page_head.hpp"
#include "report/roofline_chart.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/task/report.hpp"

namespace rooflab::cli {
namespace {

struct RooflineCommand {
  task::RooflineRequest request;
  bool ascii = false;
  bool strict = false;
  std::vector<std::string> output;
};

chart::Chart chart_of(const task::RooflineResult& result) {
  chart::Chart chart = report::roofline_chart(result.roofline);
  if (result.measured &&
      report::add_measured_roofs(result.roofline, *result.measured, chart) == 0) {
    throw Error(
        ErrorKind::input,
        format("the calibration {} has no measured roof for this work", result.measured->id),
        "rooflab probe --only bandwidth,peaks --save FILE measures them");
  }
  return chart;
}

/// The chart below what it says in sentences.
page::Document page_of(const chart::Chart& chart, const task::RooflineResult& result,
                       const Terminal& terminal) {
  page::Document page = page::chart_document(chart, terminal.command_line());
  std::vector<report::HeadCase> heads;
  for (const analyze::CaseResult& each : result.cases) heads.push_back(report::head_case(each));
  if (heads.empty()) return page;
  const std::string title = std::move(page.title);
  report::show_head(page, heads);
  page.title = title;
  return page;
}

std::string rendered(const chart::Chart& chart, const task::RooflineResult& result,
                     const std::string& file, const Terminal& terminal) {
  const std::string extension = lowercase(std::filesystem::path(file).extension().string());
  if (extension == ".html" || extension == ".htm") {
    return html_page(page_of(chart, result, terminal));
  }
  const std::optional<chart::Format> format = chart::format_from_extension(extension);
  if (format) return chart::render_gnuplot(chart, *format);
  throw Error(ErrorKind::usage,
              rooflab::format("-o: cannot tell a picture format from the name '{}'", file),
              "use .svg, .png, .pdf or .html");
}

void draw(const RooflineCommand& command, Terminal& terminal) {
  task::Session work = terminal.task();
  const task::RooflineResult result = task::run(command.request, work);
  const chart::Chart chart = chart_of(result);
  if (command.output.empty()) {
    const auto [columns, rows] = terminal.console.terminal_size();
    terminal.console.print(
        chart::render_terminal(chart, {.columns = columns,
                                       .rows = std::clamp(rows - 2, 20, 60),
                                       .ascii = command.ascii,
                                       .color = terminal.console.style_on_stdout().color}));
  }
  std::vector<OutputFile> files;
  for (const std::string& file : command.output) {
    files.push_back({file, rendered(chart, result, file, terminal)});
  }
  write_files(files, terminal.console);
  for (const std::string& remark : result.remarks) terminal.console.say(remark);
  if (command.strict && !task::is_complete(result.cases)) terminal.exit_code = 1;
}

}  // namespace

CommandSpec roofline_command() {
  return command<RooflineCommand>(
      "roofline", "draw networks or layers below a device's roofs",
      {part<&RooflineCommand::request>(),
       parameter<&RooflineCommand::ascii>("draw in the terminal with ASCII letters only"),
       parameter<&RooflineCommand::strict>("exit 1 when an op was not counted"),
       parameter<&RooflineCommand::output>(
           "FILE", "write .svg, .png, .pdf or .html; may be repeated; without it, draw here",
           {.letter = 'o', .whole_words = true, .completes = Completion::file})},
      draw);
}

}  // namespace rooflab::cli
