#include <filesystem>
#include <ostream>

#include "base/format.hpp"
#include "commands.hpp"
#include "describe/parameter_list.hpp"
#include "interrupt.hpp"
#include "output_choice.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/report/views.hpp"
#include "rooflab/task/monitor.hpp"

namespace rooflab::cli {
namespace {

constexpr chart::Size panel_size = {1200, 420};

struct MonitorCommand {
  task::MonitorRequest request;
  OutputChoice output;
};

const Parameters& parameters_of(For<MonitorCommand>) {
  static const Parameters all = {
      part<&MonitorCommand::request>(),
      part<&MonitorCommand::output>(
          parameters_of(For<OutputChoice>{}).with<&OutputChoice::output>([](Parameter& each) {
            each.help =
                "write .json (the record), .html, .svg, .png, .pdf, .csv, .md or .txt;"
                " may be repeated";
          }))};
  return all;
}

std::string extension_of(const std::string& file) {
  return lowercase(std::filesystem::path(file).extension().string());
}

bool is_record(const std::string& file) { return extension_of(file) == ".json"; }

/// Whoever records for an hour learns before that a file cannot be written.
void check(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const std::string extension = extension_of(file);
    refuse_timeline(file);
    if (chart::format_from_extension(extension)) {
      (void)picture_format("-o", file, ".html");
    } else if (!page::format_from_extension(extension)) {
      throw Error(ErrorKind::usage, format("-o: cannot tell a format from the name '{}'", file),
                  "use .json, .html, .svg, .png, .pdf, .csv, .md or .txt");
    }
    check_place(file);
  }
}

page::Document document_of(const record::Record& record, page::Format format) {
  return format == page::Format::csv ? report::samples_view(record)
                                     : report::monitor_view(record, record.identity.command);
}

std::string content_of(const std::string& file, const record::Record& record,
                       const Console& console) {
  const std::string extension = extension_of(file);
  if (const std::optional<chart::Format> picture = chart::format_from_extension(extension)) {
    return chart::render_gnuplot_panels(report::monitor_charts(record), *picture, panel_size);
  }
  const page::Format format = page::format_from_extension(extension).value();
  const page::Document document = document_of(record, format);
  return format == page::Format::html ? html_page(document)
                                      : page::render(document, format, console.style_in_file());
}

void run(const MonitorCommand& given, Terminal& terminal) {
  const std::vector<std::string> files = given.output.files();
  check(files);
  task::MonitorRequest request = given.request;
  for (const std::string& file : files) {
    if (is_record(file)) request.keep.emplace_back(file);
  }
  // What comes when the recording has ended does not keep it from being written.
  if (request.from.empty()) watch_interrupts_beside_command();
  task::Session work = terminal.task();
  const task::MonitorResult result = task::run(request, work);
  terminal.exit_code = result.exit_code;

  // A command that it runs owns stdout: the summary goes to stderr then.
  const auto format = static_cast<page::Format>(given.output.format.value_or(TextFormat::table));
  const page::Document summary = document_of(result.record, format);
  const Console& console = terminal.console;
  if (!request.program.empty()) {
    console.print_to_stderr(page::render(summary, format, console.style_on_stderr()));
  } else if (console.shows_results() || given.output.names_stdout()) {
    console.print(page::render(summary, format, console.style_on_stdout()));
  }
  std::vector<OutputFile> others;
  for (const std::string& file : files) {
    if (is_record(file)) {
      console.say(rooflab::format("wrote {}", file));
    } else {
      others.push_back({file, content_of(file, result.record, console)});
    }
  }
  write_files(others, console);
}

}  // namespace

CommandSpec monitor_command() {
  return command<MonitorCommand>(
      "monitor", "record GPUs and a command: utilisation, power, energy, memory, clocks", run);
}

}  // namespace rooflab::cli
