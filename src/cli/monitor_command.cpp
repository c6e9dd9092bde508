#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "flag_value.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/chart/gnuplot_renderer.hpp"
#include "rooflab/monitor/gpu_sensor.hpp"
#include "rooflab/monitor/host.hpp"
#include "rooflab/monitor/process_sensor.hpp"
#include "rooflab/monitor/sampler.hpp"
#include "rooflab/record/record_json.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/monitor_view.hpp"
#include "watched_command.hpp"

namespace rooflab::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Sensors = std::vector<std::unique_ptr<monitor::Sensor>>;

constexpr chart::Size panel_size = {1200, 420};

std::string extension_of(const std::string& file) {
  return lowercase(std::filesystem::path(file).extension().string());
}

bool is_page(const std::string& extension) { return extension == ".html" || extension == ".htm"; }

double seconds_value(const std::string& text, std::string_view flag, double least, double most) {
  const std::optional<double> value = parse_number(text);
  if (!value || !(*value >= least) || !(*value <= most)) {
    throw Error(ErrorKind::usage,
                format("{} takes seconds from {:g} to {:g}, not '{}'", flag, least, most, text),
                format("{} {:g}", flag, std::max(0.1, least)));
  }
  return *value;
}

/// The sensors that `--device` chooses: `all`, `none`, or numbers as `0,2` and `cuda:0`.
Sensors chosen(Sensors all, const std::string& devices, const std::string& missing) {
  if (devices == "all") return all;
  Sensors sensors;
  if (devices == "none") return sensors;
  for (const std::string& part : split(devices, ',')) {
    const std::string name(trim(part));
    const std::string label = name.starts_with("cuda:") ? name : format("cuda:{}", name);
    if (!parse_integer(std::string_view(label).substr(5))) {
      throw Error(ErrorKind::usage, format("--device takes GPUs by number, not '{}'", name),
                  "--device 0,1 or all or none; see: rooflab devices --detect");
    }
    const auto found = std::ranges::find_if(
        all, [&label](const auto& sensor) { return sensor && sensor->device() == label; });
    if (found == all.end()) {
      throw Error(ErrorKind::capability,
                  missing.empty() ? format("there is no GPU {} here", label)
                                  : format("there is no GPU {} here: {}", label, missing),
                  "see the GPUs with: rooflab devices --detect");
    }
    sensors.push_back(std::move(*found));
  }
  return sensors;
}

struct MonitorCommand {
  std::string devices = "all";
  std::string period = "0.1";
  std::string duration;
  std::string from;
  std::string format_name;
  std::vector<std::string> files;
  std::vector<std::string> command;

  void run(Session& session) const {
    check_request();
    if (!from.empty()) {
      return write(load_file<record::Record>(from), session);
    }
    const double period_s = seconds_value(period, "--period", 0.001, 3600.0);
    const std::optional<double> duration_s =
        duration.empty() ? std::nullopt
                         : std::optional(seconds_value(duration, "--duration", 0.001, 1e8));
    record::Record record = new_record(session);
    Sensors sensors = gpu_sensors(record, session);

    // From here on Ctrl-C ends the recording, not the program.
    SignalWatch signals;
    std::optional<WatchedCommand> running;
    if (!command.empty()) {
      StartedCommand started = start_command(command, signals.mask_before());
      if (!started.command) {
        session.console.error(format("cannot start '{}': {}", command.front(), started.reason), "");
        session.exit_code = started.exit_code;
        return;
      }
      running = started.command;
      sensors.push_back(monitor::process_sensor(running->pid(), true));
    }
    monitor::Sampler sampler(std::move(sensors), period_s);
    const int stopped_by = watch(sampler, signals, running, duration_s, record, session.console);
    record.samples = sampler.stop();
    finish(record, running, stopped_by, duration_s.has_value(), session);
    write(record, session);
  }

 private:
  void check_request() const {
    if (!from.empty() && (!command.empty() || !duration.empty())) {
      throw Error(ErrorKind::usage, "--from shows an earlier recording and makes none",
                  "leave out the command and --duration");
    }
    if (!command.empty() && !duration.empty()) {
      throw Error(ErrorKind::usage, "--duration is for a recording without a command",
                  format("rooflab monitor -- timeout {} {} ...", duration, command.front()));
    }
    (void)summary_format();
    // Whoever records for an hour learns before that a file cannot be written.
    for (const std::string& file : files) {
      const std::string extension = extension_of(file);
      if (chart::format_from_extension(extension)) {
        if (!chart::find_gnuplot()) {
          throw Error(ErrorKind::capability,
                      format("-o {}: charts need gnuplot, which is not installed", file),
                      "install the package gnuplot-nox, or use .html");
        }
      } else if (!report::format_from_extension(extension)) {
        throw Error(ErrorKind::usage, format("-o: cannot tell a format from the name '{}'", file),
                    "use .json, .html, .svg, .png, .pdf, .csv, .md or .txt");
      }
      check_place(file);
    }
  }

  [[nodiscard]] report::Format summary_format() const {
    if (format_name.empty()) return report::Format::table;
    const std::optional<report::Format> format = report::format_from_name(format_name);
    if (!format) throw_unknown("format", format_name, {"table", "md", "csv", "json"});
    return *format;
  }

  [[nodiscard]] record::Record new_record(const Session& session) const {
    record::Record record;
    record.identity.command = shell_line(session.words);
    record.identity.device = "cpu";
    if (!command.empty()) {
      record.identity.model = std::filesystem::path(command.front()).filename().string();
    }
    record.environment.command = record.identity.command;
    record.environment.rooflab = ROOFLAB_VERSION;
    record.environment.device = monitor::cpu_identity();
    monitor::describe_host(record.environment);
    return record;
  }

  /// Opens them and says in the record which is the first. Throws Error (capability) when there
  /// would be nothing to record.
  [[nodiscard]] Sensors gpu_sensors(record::Record& record, const Session& session) const {
    monitor::GpuSensors gpus;
    if (devices != "none") gpus = monitor::open_gpu_sensors();
    Sensors sensors = chosen(std::move(gpus.sensors), devices, gpus.missing);
    if (!sensors.empty()) {
      record.identity.device = sensors.front()->device();
      std::string ignored;
      for (const record::DeviceIdentity& gpu : monitor::detect_gpus(ignored)) {
        if (format("cuda:{}", gpu.index) == record.identity.device) record.environment.device = gpu;
      }
      return sensors;
    }
    if (command.empty()) {
      throw Error(ErrorKind::capability,
                  gpus.missing.empty() ? "there is nothing to record"
                                       : format("there is nothing to record: {}", gpus.missing),
                  "give a command: rooflab monitor -- COMMAND");
    }
    if (!gpus.missing.empty()) {
      record.warnings.push_back(format("No GPU was sampled: {}", gpus.missing));
      session.console.say(format("no GPU is sampled: {}", gpus.missing));
    }
    return sensors;
  }

  /// Until the command ends, the time is up or a signal says so; its number, or 0.
  [[nodiscard]] int watch(const monitor::Sampler& sampler, SignalWatch& signals,
                          const std::optional<WatchedCommand>& running,
                          std::optional<double> duration_s, record::Record record,
                          const Console& console) const {
    constexpr double look_again_s = 0.25;
    // What a kill leaves behind says so itself.
    record.status = record::Status::interrupted;
    record.message = "The recording was cut off.";
    // The command's own words stand on the terminal otherwise.
    const bool shows_progress = !running && console.stderr_is_terminal();
    const Clock::time_point begin = Clock::now();
    double next_save_s = 5.0;
    int stopped_by = 0;
    while (!running || !running->has_ended()) {
      const double elapsed_s = std::chrono::duration<double>(Clock::now() - begin).count();
      if (duration_s && elapsed_s >= *duration_s) break;
      if (elapsed_s >= next_save_s) {
        record.samples = sampler.so_far();
        next_save_s = saved(record, elapsed_s, begin);
      }
      if (shows_progress) {
        console.show_progress(progress_line(sampler.so_far(), elapsed_s, duration_s));
      }
      const double wait_s =
          duration_s ? std::min(look_again_s, *duration_s - elapsed_s) : look_again_s;
      const std::optional<SignalWatch::Signal> signal = signals.wait(wait_s);
      if (!signal) continue;
      stopped_by = signal->number;
      if (!running) break;
      if (!signal->from_terminal) running->send(signal->number);
    }
    if (shows_progress) console.clear_progress();
    return stopped_by;
  }

  /// Writes the records so far; when to do so again. Long recordings take long to write, so that it
  /// is done the less often.
  [[nodiscard]] double saved(const record::Record& record, double elapsed_s,
                             Clock::time_point begin) const {
    constexpr double least_pause_s = 5.0;
    constexpr double pause_of_effort = 50.0;
    for (const std::string& file : files) {
      if (extension_of(file) == ".json") record::write_record(file, record);
    }
    const double now_s = std::chrono::duration<double>(Clock::now() - begin).count();
    return now_s + std::max(least_pause_s, pause_of_effort * (now_s - elapsed_s));
  }

  [[nodiscard]] static std::string progress_line(const std::vector<record::SampleSeries>& all,
                                                 double elapsed_s,
                                                 std::optional<double> duration_s) {
    std::string line = format("{:.0f} s", elapsed_s);
    if (duration_s) line += format(" of {:g}", *duration_s);
    for (const record::SampleSeries& series : all) {
      if (series.samples.empty()) continue;
      const record::Sample& last = series.samples.back();
      line += format("  {}", series.device);
      if (last.core_utilization) line += format(" {:.0f} %", *last.core_utilization * 100.0);
      if (last.power_w) line += format(" {:.0f} W", *last.power_w);
      if (last.memory_used_bytes) {
        line += " " + si(static_cast<double>(*last.memory_used_bytes), "B", 3);
      }
    }
    return line;
  }

  static void finish(record::Record& record, const std::optional<WatchedCommand>& running,
                     int stopped_by, bool had_duration, Session& session) {
    for (const record::SampleSeries& series : record.samples) {
      if (series.device != record.identity.device || !series.device.starts_with("cuda")) continue;
      record.environment.clocks_before = monitor::clock_state(series.samples.front());
      record.environment.clocks_after = monitor::clock_state(series.samples.back());
    }
    if (running) {
      const WatchedCommand::End end = running->reap();
      session.exit_code = end.exit_code;
      if (stopped_by != 0) {
        record.status = record::Status::interrupted;
        record.message = "The command was interrupted.";
      } else if (end.signal != 0) {
        record.status = record::Status::crashed;
        record.message = format("The command was ended by signal {}.", end.signal);
      } else if (end.exit_code != 0) {
        record.status = record::Status::failed;
        record.message = format("The command ended with exit code {}.", end.exit_code);
      }
    } else if (had_duration && stopped_by != 0) {
      record.status = record::Status::interrupted;
      record.message = "The recording was stopped before its time.";
    }
  }

  /// The record first: whatever fails after that, the samples are safe. The command owns stdout,
  /// and files are the product: the summary goes to stderr then.
  void write(const record::Record& record, Session& session) const {
    const report::Format chosen_format = summary_format();
    const bool to_stderr = !command.empty() || !files.empty();
    const report::Document summary = chosen_format == report::Format::csv
                                         ? report::samples_view(record)
                                         : report::monitor_view(record, record.identity.command);
    const bool color =
        to_stderr ? session.console.color_on_stderr() : session.console.color_on_stdout();
    const std::string text = report::render(summary, chosen_format, {color});
    if (to_stderr) {
      std::fwrite(text.data(), 1, text.size(), stderr);
    } else {
      session.console.print(text);
    }
    for (const std::string& file : files) {
      if (extension_of(file) != ".json") continue;
      record::write_record(file, record);
      session.console.say(format("wrote {}", file));
    }
    std::vector<OutputFile> outputs;
    for (const std::string& file : files) {
      if (extension_of(file) != ".json") outputs.push_back({file, content_of(file, record)});
    }
    write_files(outputs, session.console);
  }

  [[nodiscard]] static std::string content_of(const std::string& file,
                                              const record::Record& record) {
    const std::string extension = extension_of(file);
    if (const std::optional<chart::Format> picture = chart::format_from_extension(extension)) {
      return chart::render_gnuplot_panels(report::monitor_charts(record), *picture, panel_size);
    }
    if (is_page(extension)) {
      return report::render_html(report::monitor_view(record, record.identity.command),
                                 plotly_bundle());
    }
    if (extension == ".csv") {
      return report::render(report::samples_view(record), report::Format::csv);
    }
    return report::render(report::monitor_view(record, record.identity.command),
                          report::format_from_extension(extension).value());
  }
};

}  // namespace

void add_monitor_command(Command program, Session& session) {
  Command app = program.add_subcommand(
      "monitor", "record GPUs and a command: utilisation, power, energy, memory, clocks");
  const auto command = std::make_shared<MonitorCommand>();
  app.add_option("command", command->command, "what to run and watch, after --")
      .type_name("COMMAND...")
      .expected(-1);
  app.add_option("--device", command->devices, "GPUs by number (0,2), all (the default) or none")
      .type_name("D,...");
  app.add_option("--period", command->period, "seconds between samples (0.1)").type_name("S");
  app.add_option("--duration", command->duration,
                 "seconds to record without a command (until Ctrl-C)")
      .type_name("S");
  app.add_option("--from", command->from, "show an earlier recording instead").type_name("FILE");
  app.add_option("--format", command->format_name, "of the summary: table, md, csv or json (table)")
      .type_name("F");
  app.add_option("-o,--output", command->files,
                 "write .json (the record), .html, .svg, .png, .pdf, .csv, .md or .txt;"
                 " may be repeated")
      .type_name("FILE")
      .expected(1)
      .take_all()
      .allow_extra_args(false);  // it would take the -- for itself
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
