#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "device_options.hpp"
#include "flag_value.hpp"
#include "import_view_options.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/temporary_folder.hpp"
#include "rooflab/counters/counter_access.hpp"
#include "rooflab/counters/profile_reader.hpp"
#include "rooflab/monitor/gpu_sensor.hpp"
#include "rooflab/monitor/host.hpp"
#include "rooflab/profile/profile_request.hpp"
#include "rooflab/record/record_json.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/import_view.hpp"
#include "rooflab/report/report_page.hpp"
#include "rooflab/trace/trace_job.hpp"
#include "watched_command.hpp"
#include "workers.hpp"

namespace rooflab::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* injection_variable = "CUDA_INJECTION64_PATH";
constexpr const char* nvtx_variable = "NVTX_INJECTION64_PATH";
constexpr const char* preload_variable = "LD_PRELOAD";

/// Where the profile files go: the user's folder, or one that vanishes once it is read.
class ProfileFolder {
 public:
  explicit ProfileFolder(const std::string& kept) {
    if (kept.empty()) {
      path_ = temporary_.emplace("profile").path();
      return;
    }
    path_ = fs::absolute(kept);
    make_or_throw();
    refuse_others();
  }

  [[nodiscard]] const fs::path& path() const { return path_; }
  /// Something went wrong: what is there stays.
  void keep() {
    if (temporary_) temporary_->keep();
  }

 private:
  void make_or_throw() const {
    std::error_code fault;
    fs::create_directories(path_, fault);
    if (fs::is_directory(path_) && ::access(path_.c_str(), W_OK) == 0) return;
    const std::string why = fault ? format(": {}", fault.message()) : "";
    throw Error(ErrorKind::input, format("cannot keep profiles in '{}'{}", path_.string(), why),
                "--keep takes a folder that exists or can be made");
  }

  /// Files of another run would be read as processes of this one.
  void refuse_others() const {
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
      if (entry.path().extension() != ".jsonl") continue;
      throw Error(ErrorKind::input,
                  format("'{}' holds the profiles of another run already", path_.string()),
                  "--keep takes a new or an empty folder");
    }
  }

  std::optional<TemporaryFolder> temporary_;  ///< without --keep
  fs::path path_;
};

/// The environment of the command. It is set in this process: what that starts besides runs no
/// CUDA.
class InjectionEnvironment {
 public:
  InjectionEnvironment(const fs::path& library, const profile::ProfileRequest& request) {
    set(injection_variable, library.string());
    set(profile::profile_variable, profile::text_of(request));
    if (request.window.kind == profile::ProfileWindow::Kind::nvtx) {
      set(nvtx_variable, library.string());
    }
    // So that a program that ends by _exit is told of too. The loader takes blanks and colons for
    // ends of names.
    if (library.string().find_first_of(" :") != std::string::npos) return;
    const char* const others = std::getenv(preload_variable);
    set(preload_variable, others == nullptr || *others == '\0'
                              ? library.string()
                              : format("{}:{}", others, library.string()));
  }

 private:
  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
};

struct ProfileCommand {
  std::string mode = "kernels";
  std::string window = "all";
  std::string step = "auto";
  std::string keep;
  std::string limit;
  ImportViewOptions rows;
  DeviceOptions devices;
  OutputOptions output;
  std::vector<std::string> command;

  void run(Session& session) const {
    // Everything that can be wrong is said before the command starts.
    profile::ProfileRequest request = requested();
    const report::ImportView view = rows.view();
    output.check(true);
    const device::Catalog catalog = devices.catalog();
    const fs::path library = fs::absolute(require_injected_library());
    const counters::CounterAccess access = counters::counter_access();
    refuse_to_nest(access);
    ProfileFolder folder(keep);
    request.folder = folder.path().string();
    if (access.cupti) request.cupti = access.cupti->string();

    // The command has the terminal, its input, output and signals as without us.
    SignalWatch signals;
    const InjectionEnvironment environment(library, request);
    const StartedCommand started = start_command(command, signals.mask_before());
    if (!started.command) {
      session.console.error(format("cannot start '{}': {}", command.front(), started.reason), "");
      session.exit_code = started.exit_code;
      return;
    }
    const WatchedCommand::End end = wait_for(*started.command, signals);
    session.exit_code = end.exit_code;

    // What its processes left.
    try {
      std::vector<record::Record> records = counters::read_profiles(folder.path());
      if (records.empty()) {
        session.console.say(
            "nothing was recorded: no process of the command used CUDA (none called cuInit)");
        return;
      }
      complete(records, session);
      report(std::move(records), catalog, view, session);
    } catch (const Error&) {
      folder.keep();
      session.console.say(format("the profile is kept in {}", folder.path().string()));
      throw;
    }
    if (!keep.empty()) {
      session.console.say(format("profile files are in {}", folder.path().string()));
    }
  }

 private:
  [[nodiscard]] profile::ProfileRequest requested() const {
    if (command.empty()) {
      throw Error(ErrorKind::usage, "profile needs a command",
                  "rooflab profile -- python3 train.py");
    }
    profile::ProfileRequest request;
    request.mode = value_named<profile::ProfileMode>("mode", mode);
    const auto chosen_window = profile::profile_window_from_text(window);
    if (!chosen_window) {
      throw Error(ErrorKind::usage, format("--window does not know '{}'", window),
                  "all, profiler, nvtx:NAME, launches:SKIP or launches:SKIP:COUNT");
    }
    request.window = *chosen_window;
    // A range that the user named around a step is the step.
    const bool named = request.window.kind == profile::ProfileWindow::Kind::nvtx;
    const auto chosen_step =
        profile::step_rule_from_text(step == "auto" && named ? "window" : step);
    if (!chosen_step) {
      throw Error(ErrorKind::usage, format("--step does not know '{}'", step),
                  "auto, window or launches:N");
    }
    request.step = *chosen_step;
    if (request.step.kind == profile::StepRule::Kind::window &&
        request.window.kind == profile::ProfileWindow::Kind::all) {
      throw Error(ErrorKind::usage, "--step window needs a window that opens for each step",
                  "--window nvtx:NAME, or --window profiler");
    }
    if (!limit.empty()) {
      request.limit = static_cast<std::uint64_t>(positive(limit, "--limit", "--limit 1000000"));
    }
    return request;
  }

  /// The driver loads one such library, and one program can read the counters.
  static void refuse_to_nest(const counters::CounterAccess& access) {
    if (!access.injection) return;
    throw Error(ErrorKind::capability,
                format("{} is set already, to {}: another profiler is at work", injection_variable,
                       *access.injection),
                format("start rooflab outside of it, or unset {}", injection_variable));
  }

  static WatchedCommand::End wait_for(const WatchedCommand& running, SignalWatch& signals) {
    constexpr double look_again_s = 0.25;
    while (!running.has_ended()) {
      const std::optional<SignalWatch::Signal> signal = signals.wait(look_again_s);
      if (signal && !signal->from_terminal) running.send(signal->number);
    }
    return running.reap();
  }

  static void complete(std::vector<record::Record>& records, const Session& session) {
    std::string ignored;
    const std::vector<record::DeviceIdentity> gpus = monitor::detect_gpus(ignored);
    for (record::Record& record : records) {
      record::Environment& environment = record.environment;
      environment.rooflab = ROOFLAB_VERSION;
      environment.command = shell_line(session.words);
      record.identity.command = environment.command;
      monitor::describe_host(environment);
      for (const record::DeviceIdentity& gpu : gpus) {
        if (gpu.uuid == environment.device.uuid) environment.device.driver = gpu.driver;
      }
    }
  }

  /// The command owns stdout: without -o the report goes to stderr.
  void report(std::vector<record::Record> records, const device::Catalog& catalog,
              const report::ImportView& view, const Session& session) const {
    analyze::ResultSet results;
    results.job = trace::job_of(records);
    const bool several = records.size() > 1;
    for (record::Record& record : records) {
      std::string source = several ? process_of(record) : record.identity.model;
      results.imported.push_back(
          analyze::imported_case_of(std::move(record), std::move(source), catalog));
    }
    report::Document document = report::import_view(results.imported, results.job, view);
    document.title = format("Profile of {}", shell_line(command));
    const std::string table =
        report::render(document, report::Format::table, {session.console.color_on_stderr()});
    std::fwrite(table.data(), 1, table.size(), stderr);
    if (output.files().empty()) return;
    output.write(document, session.console, [&] {
      report::Page page = report::report_page(results, shell_line(session.words));
      page.title = format("Rooflab: profile of {}", shell_line(command));
      return report::render_html(page, plotly_bundle());
    });
  }

  /// `python3 (2191 on host), rank 0`: processes of one program have one name.
  static std::string process_of(const record::Record& record) {
    if (!record.kernels || record.kernels->processes.size() == 0) return record.identity.model;
    return record.kernels->processes[0];
  }
};

}  // namespace

void add_profile_command(Command program, Session& session) {
  Command app = program.add_subcommand(
      "profile", "run any CUDA program and record its kernels: time, FLOPs, bytes");
  const auto command = std::make_shared<ProfileCommand>();
  app.add_option("command", command->command, "what to run, after --")
      .type_name("COMMAND...")
      .expected(-1);
  app.add_option("--mode", command->mode,
                 "trace (times), totals (and counters of a step) or kernels (the default: of each"
                 " kernel too)")
      .type_name("M");
  app.add_option("--window", command->window,
                 "all, profiler, nvtx:NAME, launches:SKIP[:COUNT] (all)")
      .type_name("W");
  app.add_option("--step", command->step, "auto, window or launches:N (auto)").type_name("S");
  app.add_option("--keep", command->keep, "keep the processes' profile files in this folder")
      .type_name("DIR");
  app.add_option("--limit", command->limit, "kernels traced at most (5000000)").type_name("N");
  command->rows.add_to(app);
  command->devices.add_folder_to(app);
  command->output.add_to(app);
  app.get_option("--output").expected(1).take_all().allow_extra_args(false);  // not the --
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
