#include <algorithm>
#include <filesystem>
#include <memory>

#include "case_options.hpp"
#include "commands.hpp"
#include "flag_value.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "result_reader.hpp"
#include "rooflab/analyze/kernel_summary.hpp"
#include "rooflab/analyze/roofline.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/chart/gnuplot_renderer.hpp"
#include "rooflab/chart/terminal_renderer.hpp"
#include "rooflab/record/profiler_name.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/measured_roofs.hpp"
#include "rooflab/report/roofline_chart.hpp"

namespace rooflab::cli {
namespace {

using analyze::MeasuredCase;

struct RooflineCommand {
  CaseOptions given;
  std::string per = "layer";
  bool ascii = false;
  bool measured_roofs = false;
  std::vector<std::string> files;

  void run(Session& session) const {
    const auto per_what = value_named<analyze::PointPer>("--per value", per);
    CaseOptions cases = given;
    const analyze::ResultSet recorded = recorded_results(cases, session.console);
    std::vector<const MeasuredCase*> reached;
    for (const MeasuredCase& each : recorded.measured) {
      if (has_place(each, session.console)) reached.push_back(&each);
    }
    std::vector<device::Device> devices = devices_of(recorded, reached);
    std::vector<analyze::CaseResult> results = cases.run(devices);
    for (const analyze::CaseResult& result : results) devices.push_back(result.device);
    results.insert(results.begin(), recorded.predictions.begin(), recorded.predictions.end());
    if (devices.empty()) {
      throw Error(ErrorKind::input, "none of the files has anything for a roofline",
                  "records of measure with times of a network, JSON of predict, counters of ncu");
    }
    for (const device::Device& device : devices) {
      if (device.id == devices.front().id) continue;
      throw Error(ErrorKind::usage, "a roofline is of one device",
                  "rooflab report draws one for each device; --device D sets all against one");
    }
    std::vector<const analyze::CaseResult*> limits;
    for (const analyze::CaseResult& result : results) limits.push_back(&result);
    analyze::Roofline roofline = analyze::roofline_of(devices.front(), limits, reached, per_what);
    for (const analyze::ImportedCase& each : recorded.imported) {
      if (each.device && each.record.kernels) {
        analyze::add_kernels(roofline, kernels_of(each));
      }
    }
    chart::Chart chart = report::roofline_chart(roofline);
    if (measured_roofs) add_measured(cases, roofline, chart);
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
    for (const MeasuredCase* each : reached) {
      for (const std::string& warning : each->warnings) {
        session.console.say(format("{}: suspect: {}", each->record.identity.model, warning));
      }
    }
    for (const analyze::ImportedCase& each : recorded.imported) {
      for (const std::string& warning : each.record.warnings) {
        session.console.say(format("{}: {}", each.source, warning));
      }
    }
    if (cases.strict() && !is_complete(results)) session.exit_code = 1;
  }

 private:
  /// The roofs of the device's own calibration.
  static void add_measured(const CaseOptions& cases, const analyze::Roofline& roofline,
                           chart::Chart& chart) {
    const analyze::KnownCalibrations known = cases.calibrations();
    const device::Calibration* const own = known.of(roofline.device);
    if (own == nullptr) {
      throw Error(
          ErrorKind::usage, format("no calibration of {}", roofline.device.name),
          "rooflab probe --save FILE on that device measures its roofs: --calibration FILE");
    }
    if (report::add_measured_roofs(roofline, *own, chart) == 0) {
      throw Error(ErrorKind::input,
                  format("the calibration {} has no measured roof for this work", own->id),
                  "rooflab probe --only bandwidth,peaks --save FILE measures them");
    }
  }

  /// The files among the arguments, below the roofs of their own device or of the one named.
  [[nodiscard]] static analyze::ResultSet recorded_results(CaseOptions& cases,
                                                           const Console& console) {
    const std::vector<std::string> names = cases.take_records();
    if (names.empty()) return {};
    const std::vector<device::Device> named = cases.devices();
    return read_result_set(names, cases.catalog(),
                           named.empty() ? std::nullopt : std::optional(named.front()), {},
                           console);
  }

  /// Whether a record has points; says why where it has none. Throws Error (input) where only the
  /// device's roofs are missing.
  [[nodiscard]] static bool has_place(const MeasuredCase& each, const Console& console) {
    if (!each.steps || !each.model) {
      console.say(format("{}: left out: {}", each.source,
                         each.model ? format("no times, it is {}", name_of(each.record.status))
                                    : "it is not of a network"));
      return false;
    }
    if (!each.model->limit.time) throw_no_roofs(each.source, each.record, each.model->device);
    return true;
  }

  [[noreturn]] static void throw_no_roofs(const std::string& what, const record::Record& record,
                                          const device::Device& device) {
    throw Error(ErrorKind::input,
                device.id.empty() ? format("{}: no device file describes '{}'", what,
                                           record.environment.device.name)
                                  : format("{}: no limit on {}", what, device.name),
                "--device D draws it below the roofs of D (rooflab devices); --devices-dir"
                " adds files");
  }

  /// Of everything that has points.
  [[nodiscard]] static std::vector<device::Device> devices_of(
      const analyze::ResultSet& recorded, const std::vector<const MeasuredCase*>& reached) {
    std::vector<device::Device> devices;
    for (const MeasuredCase* each : reached) devices.push_back(each->model->device);
    for (const analyze::CaseResult& each : recorded.predictions) devices.push_back(each.device);
    for (const analyze::ImportedCase& each : recorded.imported) {
      if (each.totals.at(record::KernelFigure::collected_flops).value_or(0.0) <= 0.0) {
        const auto& trace = each.record.trace;
        const bool profiled =
            each.record.counting || (trace && trace->profiler == record::cupti_activity);
        throw Error(ErrorKind::input, "there are no FLOP counters of kernels to draw",
                    profiled ? "rooflab profile --mode kernels collects them"
                             : "rooflab import --ncu-command DEVICE prints how to collect them",
                    {each.source, {}, {}, {}});
      }
      if (!each.device) throw_no_roofs(each.source, each.record, device::Device{});
      devices.push_back(*each.device);
    }
    return devices;
  }

  [[nodiscard]] static analyze::KernelSeries kernels_of(const analyze::ImportedCase& imported) {
    return analyze::kernel_series(imported.kernels, imported.totals, imported.title);
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

void add_roofline_command(Command program, Session& session) {
  Command app =
      program.add_subcommand("roofline", "draw networks or layers below a device's roofs");
  const auto command = std::make_shared<RooflineCommand>();
  command->given.add_with_records_to(app);
  app.add_option("--per", command->per, "what a point is: layer (the default) or model")
      .type_name("layer|model");
  app.add_flag("--measured", command->measured_roofs,
               "the roofs that the device was measured to have, dashed, besides");
  app.add_flag("--ascii", command->ascii, "draw in the terminal with ASCII letters only");
  app.add_option("-o,--output", command->files,
                 "write .svg, .png, .pdf or .html; may be repeated; without it, draw here")
      .type_name("FILE")
      .expected(1)
      .take_all();
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
