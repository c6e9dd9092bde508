#include <algorithm>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "device_options.hpp"
#include "flag_value.hpp"
#include "interrupt.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "probe_run.hpp"
#include "published_tables.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/chart/gnuplot_renderer.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/monitor/gpu_sensor.hpp"
#include "rooflab/probe/calibration_builder.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/probe_view.hpp"

namespace rooflab::cli {
namespace {

using device::Calibration;

struct ProbeCommand {
  DeviceOptions catalog_options;
  OutputOptions output;
  std::string device;
  std::string save;
  std::string only;
  std::string refit;
  std::string add;
  std::string from;
  std::string tables;
  std::string chart;
  std::string python = "python3";
  std::string ops_time;
  bool quick = false;
  bool links = false;

  void run(Session& session) const {
    check();
    output.check(true);
    const device::Catalog catalog = catalog_options.catalog();
    Calibration calibration;
    std::vector<std::filesystem::path> journals;
    if (!refit.empty()) {
      calibration = fitted_again(session.console);
    } else if (!from.empty()) {
      calibration = calibration_from({.descriptions = from,
                                      .tables = tables,
                                      .device = device,
                                      .command = shell_line(session.words)},
                                     catalog, session.console);
    } else {
      const InterruptGuard guard;
      ProbeRunResult result = run_probe(request(session), catalog, session.console);
      calibration = std::move(result.calibration);
      journals = std::move(result.finished);
      if (InterruptGuard::interrupted()) {
        if (!save.empty()) {
          session.console.say(
              format("what was measured is kept beside {}: the same command takes"
                     " it up",
                     save));
        }
        session.exit_code = InterruptGuard::exit_code();
        return;
      }
    }
    if (!save.empty()) write(calibration, journals, session);
    if (!chart.empty()) {
      write_files({{chart, vector_addition_picture(calibration)}}, session.console);
    }
    const std::optional<device::Device> known =
        calibration.device.empty() ? std::nullopt : std::optional(catalog.find(calibration.device));
    const report::Document document =
        report::probe_view({calibration, known}, shell_line(session.words));
    output.write(document, session.console,
                 [&] { return report::render_html(document, plotly_bundle()); });
  }

 private:
  /// One panel each for copied and for managed memory.
  [[nodiscard]] std::string vector_addition_picture(const Calibration& calibration) const {
    constexpr chart::Size panel = {900, 560};
    if (calibration.vector_additions.empty()) {
      throw Error(ErrorKind::usage, "--chart: this probe has no vector addition",
                  "--only vector_addition measures it, or leave --only out");
    }
    const chart::Chart panels[] = {report::vector_addition_chart(calibration, "device"),
                                   report::vector_addition_chart(calibration, "managed")};
    return chart::render_gnuplot_panels(panels, *chart_format(), panel);
  }

  [[nodiscard]] std::optional<chart::Format> chart_format() const {
    return chart::format_from_extension(
        lowercase(std::filesystem::path(chart).extension().string()));
  }

  void check() const {
    if (!chart.empty()) {
      if (!chart_format()) {
        throw Error(ErrorKind::usage,
                    format("--chart: cannot tell a format from the name '{}'", chart),
                    "use .svg, .png or .pdf");
      }
      if (!chart::find_gnuplot()) {
        throw Error(ErrorKind::capability,
                    format("--chart {}: charts need gnuplot, which is not installed", chart),
                    "install the package gnuplot-nox, or use -o FILE.html");
      }
      check_place(chart);
    }
    if (!save.empty()) {
      if (!save.ends_with(".toml")) {
        throw Error(ErrorKind::usage, format("--save writes TOML, not '{}'", save),
                    "--save my-gpu.toml");
      }
      check_place(save);
    }
    if (!refit.empty() && (quick || links || !only.empty() || !device.empty() || !add.empty())) {
      throw Error(ErrorKind::usage, "--refit measures nothing: it fits the rows of a file again",
                  "rooflab probe --refit old.toml --save new.toml");
    }
    if (!from.empty() &&
        (quick || links || !only.empty() || !add.empty() || !refit.empty() || !ops_time.empty())) {
      throw Error(ErrorKind::usage, "--from measures nothing: it takes published rows",
                  "rooflab probe --from ops.toml --device t4 --save t4.toml");
    }
    if (from.empty() && !tables.empty()) {
      throw Error(ErrorKind::usage, "--tables goes with --from", "rooflab probe -h");
    }
  }

  [[nodiscard]] ProbeRunOptions request(const Session& session) const {
    ProbeRunOptions options;
    options.device = chosen_device();
    options.quick = quick;
    if (!ops_time.empty()) options.ops_s = seconds(ops_time);
    options.parts = parts();
    options.links = links || !only.empty();
    options.python = python == "none" ? "" : python;
    options.file = save;
    options.command = shell_line(session.words);
    if (!add.empty()) options.base = device::read_calibration(read_file(add), add);
    return options;
  }

  static double seconds(const std::string& text) {
    const std::optional<double> value = parse_number(text);
    if (value && *value >= 1.0 && *value <= 86400.0) return *value;
    throw Error(ErrorKind::usage, format("--ops-time takes seconds of 1 or more, not '{}'", text),
                "--ops-time 600");
  }

  /// The first GPU where there is one.
  [[nodiscard]] std::string chosen_device() const {
    if (device.empty()) {
      std::string missing;
      return monitor::detect_gpus(missing).empty() ? "cpu" : "cuda:0";
    }
    std::string name = lowercase(trim(device));
    if (name == "cuda") name = "cuda:0";
    const bool gpu = name.starts_with("cuda:") && parse_integer(std::string_view(name).substr(5));
    if (name != "cpu" && !gpu) {
      throw Error(ErrorKind::usage, format("--device takes cpu, cuda or cuda:N, not '{}'", device),
                  "a probe measures what is here: rooflab devices --detect");
    }
    return name;
  }

  [[nodiscard]] std::vector<std::string> parts() const {
    std::vector<std::string> all(std::begin(probe_parts), std::end(probe_parts));
    if (only.empty() && links) return {"links"};
    if (only.empty()) return all;
    std::vector<std::string> chosen;
    for (const std::string& part : split(only, ',')) {
      const std::string name(trim(part));
      if (std::ranges::find(all, name) == all.end()) throw_unknown("part", name, all);
      chosen.push_back(name);
    }
    if (links && std::ranges::find(chosen, "links") == chosen.end()) chosen.emplace_back("links");
    return chosen;
  }

  [[nodiscard]] Calibration fitted_again(const Console& console) const {
    Calibration calibration = device::read_calibration(read_file(refit), refit);
    const auto multiprocessors = calibration.environment.find("multiprocessors");
    const std::optional<double> count = multiprocessors == calibration.environment.end()
                                            ? std::nullopt
                                            : parse_number(multiprocessors->second);
    probe::fit_tables(calibration, count.value_or(1.0), [&console](double done) {
      console.show_progress(format("fitting {:.0f} %", done * 100.0));
    });
    console.clear_progress();
    return calibration;
  }

  void write(Calibration& calibration, const std::vector<std::filesystem::path>& journals,
             const Session& session) const {
    calibration.id = std::filesystem::path(save).stem().string();
    write_file_atomically(save, device::to_toml(calibration));
    for (const std::filesystem::path& journal : journals) {
      std::error_code ignored;
      std::filesystem::remove(journal, ignored);
    }
    session.console.say(format("the calibration is in {}", save));
  }
};

}  // namespace

void add_probe_command(Command program, Session& session) {
  Command app = program.add_subcommand(
      "probe", "measure what the device here can do, and calibrate predictions with it");
  const auto command = std::make_shared<ProbeCommand>();
  app.add_option("--device", command->device, "cpu, cuda or cuda:N (the first GPU, else the CPU)")
      .type_name("D");
  app.add_option("--save", command->save, "write the calibration, for predict --calibration")
      .type_name("NAME.toml");
  app.add_flag("--quick", command->quick, "fewer shapes and sizes: under a minute");
  app.add_option("--ops-time", command->ops_time,
                 "seconds for single ops: more shapes, surer predictions (170; quick 18)")
      .type_name("S");
  app.add_option("--only", command->only,
                 "parts, by commas: bandwidth, l2, peaks, transfers, launch, vector_addition,"
                 " links, ops, host")
      .type_name("PART,...");
  app.add_flag("--links", command->links,
               "measure what joins the GPUs here, and nothing else without --only");
  app.add_option("--python", command->python,
                 "the Python whose PyTorch is asked what issuing ops costs (python3; none)")
      .type_name("PROGRAM");
  app.add_option("--add", command->add,
                 "add to this calibration: shapes that it lacks, lower issue costs, new figures")
      .type_name("FILE");
  app.add_option("--chart", command->chart, "draw the vector additions: .svg, .png or .pdf")
      .type_name("FILE");
  app.add_option("--refit", command->refit, "measure nothing: fit the rows of a calibration again")
      .type_name("FILE");
  app.add_option("--from", command->from,
                 "measure nothing: take published single ops, as these descriptions say; by commas")
      .type_name("FILE,...");
  app.add_option("--tables", command->tables,
                 "folder of the tables that --from names (the folder of each description)")
      .type_name("FOLDER");
  command->catalog_options.add_folder_to(app);
  command->output.add_to(app);
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
