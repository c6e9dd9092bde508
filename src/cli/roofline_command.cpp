#include <algorithm>
#include <filesystem>
#include <memory>

#include "case_options.hpp"
#include "commands.hpp"
#include "flag_value.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "record_folder.hpp"
#include "rooflab/analyze/roofline.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/chart/gnuplot_renderer.hpp"
#include "rooflab/chart/terminal_renderer.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/roofline_chart.hpp"

namespace rooflab::cli {
namespace {

using analyze::MeasuredCase;

struct RooflineCommand {
  CaseOptions given;
  std::string per = "layer";
  bool ascii = false;
  std::vector<std::string> files;

  void run(Session& session) const {
    const analyze::PointPer per_what = point_per();
    CaseOptions cases = given;
    const std::vector<MeasuredCase> measured = measured_cases(cases, session.console);
    std::vector<device::Device> devices;
    if (!measured.empty()) devices.push_back(measured.front().model->device);
    const std::vector<analyze::CaseResult> results = cases.run(devices);
    std::vector<const analyze::CaseResult*> limits;
    for (const analyze::CaseResult& result : results) {
      devices.push_back(result.device);
      limits.push_back(&result);
    }
    std::vector<const MeasuredCase*> reached;
    for (const MeasuredCase& each : measured) {
      devices.push_back(each.model->device);
      reached.push_back(&each);
    }
    for (const device::Device& device : devices) {
      if (device.id == devices.front().id) continue;
      throw Error(ErrorKind::usage, "a roofline is of one device",
                  "predict -o report.html and measure -o report.html draw one for each device");
    }
    const chart::Chart chart =
        report::roofline_chart(analyze::roofline_of(limits, reached, per_what));
    if (files.empty()) {
      const auto [columns, rows] = session.console.terminal_size();
      session.console.print(chart::render_terminal(
          chart, {.columns = columns, .rows = std::clamp(rows - 2, 20, 60), .ascii = ascii}));
    } else {
      std::vector<OutputFile> outputs;
      for (const std::string& file : files) {
        outputs.push_back({file, rendered(chart, file, session)});
      }
      write_files(outputs, session.console);
    }
    for (const analyze::CaseResult& result : results) {
      for (const std::string& note : result.notes) {
        session.console.say(format("{}: {}", result.model, note));
      }
    }
    for (const MeasuredCase& each : measured) {
      for (const std::string& warning : each.warnings) {
        session.console.say(format("{}: suspect: {}", each.record.identity.model, warning));
      }
    }
    if (cases.strict() && !is_complete(results)) session.exit_code = 1;
  }

 private:
  /// The records among the arguments that have times, below the roofs of their own device or of
  /// the one that was named.
  [[nodiscard]] static std::vector<MeasuredCase> measured_cases(CaseOptions& cases,
                                                                const Console& console) {
    std::vector<MeasuredCase> measured;
    const std::vector<std::string> names = cases.take_records();
    if (names.empty()) return measured;
    const std::vector<device::Device> named = cases.devices();
    const device::Catalog catalog = cases.catalog();
    const std::optional<device::Device> device =
        named.empty() ? std::nullopt : std::optional(named.front());
    for (const std::string& name : names) {
      for (RecordFile& file : read_records(name)) {
        const std::string path = file.path.string();
        MeasuredCase each = analyze::measured_case_of(std::move(file.record), catalog, device);
        if (!each.steps || !each.model) {
          console.say(format("{}: left out: {}", path,
                             each.model
                                 ? format("no times, it is {}", record::name_of(each.record.status))
                                 : "it is not of a network"));
          continue;
        }
        if (!each.model->limit.time) {
          const std::string& where = each.record.environment.device.name;
          throw Error(ErrorKind::input,
                      each.model->device.id.empty()
                          ? format("{}: no device file describes '{}'", path, where)
                          : format("{}: no limit on {}", path, each.model->device.name),
                      "--device D draws it below the roofs of D (rooflab devices); --devices-dir"
                      " adds files");
        }
        measured.push_back(std::move(each));
      }
    }
    if (measured.empty()) {
      throw Error(ErrorKind::input, "none of the records has times of a network",
                  "rooflab measure ... -o DIR writes records");
    }
    return measured;
  }

  [[nodiscard]] analyze::PointPer point_per() const {
    if (per == "layer") return analyze::PointPer::layer;
    if (per == "model") return analyze::PointPer::model;
    throw_unknown("--per value", per, {"layer", "model"});
  }

  [[nodiscard]] static std::string rendered(const chart::Chart& chart, const std::string& file,
                                            const Session& session) {
    const std::string extension = lowercase(std::filesystem::path(file).extension().string());
    if (extension == ".html" || extension == ".htm") {
      return report::render_html(report::chart_page(chart, shell_line(session.words)),
                                 plotly_bundle());
    }
    const std::optional<chart::Format> format = chart::format_from_extension(extension);
    if (!format) {
      throw Error(ErrorKind::usage,
                  rooflab::format("-o: cannot tell a picture format from the name '{}'", file),
                  "use .svg, .png, .pdf or .html");
    }
    return chart::render_gnuplot(chart, *format);
  }
};

}  // namespace

void add_roofline_command(CLI::App& program, Session& session) {
  CLI::App* app =
      program.add_subcommand("roofline", "draw networks or layers below a device's roofs");
  const auto command = std::make_shared<RooflineCommand>();
  command->given.add_with_records_to(*app);
  app->add_option("--per", command->per, "what a point is: layer (the default) or model")
      ->type_name("layer|model");
  app->add_flag("--ascii", command->ascii, "draw in the terminal with ASCII letters only");
  app->add_option("-o,--output", command->files,
                  "write .svg, .png, .pdf or .html; may be repeated; without it, draw here")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  app->callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
