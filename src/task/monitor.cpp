#include "rooflab/task/monitor.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "describe/schema.hpp"
#include "monitor/gpu_sensor.hpp"
#include "monitor/host.hpp"
#include "monitor/process_sensor.hpp"
#include "monitor/sampler.hpp"
#include "notes/task_notes.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::task {
namespace {

using Clock = std::chrono::steady_clock;
using Sensors = std::vector<std::unique_ptr<monitor::Sensor>>;

void check(const MonitorRequest& request) {
  const std::string duration = flag_of<&MonitorRequest::duration>();
  if (!request.program.empty() && request.duration) {
    throw Error(ErrorKind::usage, format("{} is for a recording without a command", duration),
                format("rooflab monitor -- timeout {} {} ...", *request.duration,
                       shell_line({request.program.front()})));
  }
}

/// The sensors that the request chooses by numbers: `0`, `cuda:0`.
Sensors chosen(monitor::GpuSensors gpus, const std::vector<std::string>& names) {
  Sensors sensors;
  for (const std::string& name : names) {
    const std::string label = name.starts_with("cuda:") ? name : format("cuda:{}", name);
    if (!parse_integer(std::string_view(label).substr(5))) {
      parameter_of<&MonitorRequest::device>().refuse("GPUs by number, all or none", name);
    }
    const auto found = std::ranges::find_if(
        gpus.sensors, [&label](const auto& sensor) { return sensor && sensor->device() == label; });
    if (found == gpus.sensors.end()) {
      const std::string why = gpus.missing.empty() ? "" : format(": {}", gpus.missing);
      throw Error(ErrorKind::capability, format("GPU {} is not here{}", label, why),
                  "see the GPUs with: rooflab devices --detect");
    }
    sensors.push_back(std::move(*found));
  }
  return sensors;
}

std::string progress_line(const std::vector<record::SampleSeries>& all, double elapsed_s,
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

class Monitor {
 public:
  Monitor(const MonitorRequest& request, const Session& session)
      : request_(request), session_(session) {
    record::Environment& environment = record_.environment;
    record_.identity.command = environment.command = session.command;
    record_.identity.device = "cpu";
    record_.identity.forget();
    if (!request.program.empty()) {
      record_.identity.model = std::filesystem::path(request.program.front()).filename().string();
    }
    environment.rooflab = session.version;
    environment.device = monitor::cpu_identity();
    monitor::describe_host(environment);
  }

  MonitorResult run() {
    Sensors sensors = gpu_sensors();
    // From here on Ctrl-C ends the recording, not the program.
    SignalWatch signals;
    if (!request_.program.empty()) {
      running_.emplace(request_.program, signals);
      sensors.push_back(monitor::process_sensor(running_->pid(), true));
    }
    monitor::Sampler sampler(std::move(sensors), request_.period);
    const bool stopped = watch(sampler, signals);
    record_.samples = sampler.stop();
    MonitorResult result;
    result.exit_code = finish(stopped);
    save(record_);
    result.record = std::move(record_);
    return result;
  }

 private:
  /// Opens them and says in the record which is the first. Throws Error (capability) when there
  /// would be nothing to record.
  Sensors gpu_sensors() {
    using Names = std::vector<std::string>;
    monitor::GpuSensors gpus;
    if (request_.device != Names{"none"}) gpus = monitor::open_gpu_sensors();
    const std::string missing = gpus.missing;
    const bool by_number = request_.device != Names{"none"} && request_.device != Names{"all"};
    Sensors sensors =
        by_number ? chosen(std::move(gpus), request_.device) : std::move(gpus.sensors);
    if (!sensors.empty()) {
      record_.identity.device = sensors.front()->device();
      std::string ignored;
      for (const record::DeviceIdentity& gpu : monitor::detect_gpus(ignored)) {
        if (format("cuda:{}", gpu.index) == record_.identity.device) {
          record_.environment.device = gpu;
        }
      }
      return sensors;
    }
    if (request_.program.empty()) {
      throw Error(ErrorKind::capability,
                  missing.empty() ? "there is nothing to record"
                                  : format("there is nothing to record: {}", missing),
                  "give a command: rooflab monitor -- COMMAND");
    }
    if (!missing.empty()) {
      record_.warnings.push_back({says.no_gpu_sampled, {missing}});
      session_.say(format("no GPU is sampled: {}", missing));
    }
    return sensors;
  }

  /// Until the command ends, the time is up, or a signal or the session says so: true.
  [[nodiscard]] bool watch(const monitor::Sampler& sampler, SignalWatch& signals) const {
    constexpr double look_again_s = 0.25;
    // What a kill leaves behind says so itself.
    record::Record so_far = record_;
    so_far.status = record::Status::interrupted;
    so_far.message = "The recording was cut off.";
    // The command's own words stand on the terminal otherwise.
    const bool shows_progress = !running_ && session_.shows_progress;
    const std::optional<double> duration_s = request_.duration;
    const auto now_s = [begin = Clock::now()] {
      return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    double next_save_s = 5.0;
    bool stopped = false;
    while (!running_ || !running_->has_ended()) {
      const double elapsed_s = now_s();
      if (duration_s && elapsed_s >= *duration_s) break;
      if (elapsed_s >= next_save_s) {
        so_far.samples = sampler.so_far();
        save(so_far);
        next_save_s = next_save(elapsed_s, now_s());
      }
      if (shows_progress) {
        session_.show_progress(progress_line(sampler.so_far(), elapsed_s, duration_s));
      }
      const double wait_s =
          duration_s ? std::min(look_again_s, *duration_s - elapsed_s) : look_again_s;
      if (!signals.wait(wait_s, running_ ? &*running_ : nullptr, session_)) continue;
      stopped = true;
      if (!running_) break;
    }
    session_.show_progress("");
    return stopped;
  }

  void save(const record::Record& record) const {
    for (const std::filesystem::path& file : request_.keep) record::write_record(file, record);
  }

  /// Long recordings take long to write, so that it is done the less often.
  static double next_save(double before_s, double now_s) {
    constexpr double least_pause_s = 5.0;
    constexpr double pause_of_effort = 50.0;
    return now_s + std::max(least_pause_s, pause_of_effort * (now_s - before_s));
  }

  /// What became of it; the exit code.
  int finish(bool stopped) {
    for (const record::SampleSeries& series : record_.samples) {
      if (series.device != record_.identity.device || !series.device.starts_with("cuda")) continue;
      record_.environment.clocks_before = monitor::clock_state(series.samples.front());
      record_.environment.clocks_after = monitor::clock_state(series.samples.back());
    }
    const WatchedCommand::End end = running_ ? running_->reap() : WatchedCommand::End();
    if (stopped && (running_ || request_.duration)) {
      record_.status = record::Status::interrupted;
      record_.message =
          running_ ? "The command was interrupted." : "The recording was stopped before its time.";
    } else if (end.signal != 0) {
      record_.status = record::Status::crashed;
      record_.message = format("The command was ended by signal {}.", end.signal);
    } else if (end.exit_code != 0) {
      record_.status = record::Status::failed;
      record_.message = format("The command ended with exit code {}.", end.exit_code);
    }
    return end.exit_code;
  }

  const MonitorRequest& request_;
  const Session& session_;
  record::Record record_;
  std::optional<WatchedCommand> running_;
};

}  // namespace

const Parameters& parameters_of(For<MonitorRequest>) {
  static const Parameters all = {
      parameter<&MonitorRequest::program>("COMMAND...", "command to run and monitor, after --",
                                          {.positional = true, .whole_words = true}),
      parameter<&MonitorRequest::device>("D,...", "GPUs by number (0,2), all or none",
                                         {.example = "0,1", .suggestions = {"all", "none"}}),
      parameter<&MonitorRequest::period>("S", "seconds between samples",
                                         {.example = "0.1", .least = 0.001, .most = 3600.0}),
      parameter<&MonitorRequest::duration>(
          "S", "seconds to record without a command",
          {.default_text = "until Ctrl-C", .example = "10", .least = 0.001, .most = 1e8}),
      parameter<&MonitorRequest::from>("FILE", "show an earlier recording instead",
                                       {.example = "run.json",
                                        .beside = std::vector<std::string>(),
                                        .completes = Completion::file}),
  };
  return all;
}

MonitorResult run(const MonitorRequest& request, Session& session) {
  check(request);
  if (request.from.empty()) return Monitor(request, session).run();
  MonitorResult result{load_file<record::Record>(request.from)};
  for (const auto& file : request.keep) record::write_record(file, result.record);
  return result;
}

}  // namespace rooflab::task
