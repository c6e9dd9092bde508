#include "rooflab/task/profile.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "counters/counter_access.hpp"
#include "counters/profile_reader.hpp"
#include "describe/parameter_list.hpp"
#include "finding_commands.hpp"
#include "monitor/gpu_sensor.hpp"
#include "monitor/host.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/task/monitor.hpp"
#include "rooflab/task/results.hpp"
#include "rooflab/task/session.hpp"
#include "system/folder_lock.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab {

template <>
struct ValueText<profile::ProfileWindow> {
  static profile::ProfileWindow read(std::string_view word, const Parameter& parameter) {
    if (const auto window = profile::profile_window_from_text(word)) return *window;
    parameter.refuse(
        "step, forward, backward, both, all, profiler, nvtx:NAME, launches:SKIP[:COUNT] or "
        "time:SKIP[:SECONDS]",
        word);
  }
  static std::string write(const profile::ProfileWindow& window) { return text_of(window); }
};

template <>
struct ValueText<profile::StepRule> {
  static profile::StepRule read(std::string_view word, const Parameter& parameter) {
    if (const auto rule = profile::step_rule_from_text(word)) return *rule;
    parameter.refuse("auto, window or launches:N", word);
  }
  static std::string write(const profile::StepRule& rule) { return text_of(rule); }
};

template <>
struct ValueText<profile::Overhead> {
  static profile::Overhead read(std::string_view word, const Parameter& parameter) {
    if (const auto overhead = profile::overhead_from_text(word)) return *overhead;
    parameter.refuse("shares from 0% to 100%", word);
  }
  static std::string write(const profile::Overhead& overhead) { return text_of(overhead); }
};

}  // namespace rooflab

namespace rooflab::task {

namespace fs = std::filesystem;

/// The user's folder, or one that vanishes once it is read.
class ProfileFolder {
 public:
  ProfileFolder(const std::string& kept, const Session& session) : say_(session.say) {
    if (kept.empty()) {
      path_ = temporary_.emplace("profile").path();
      return;
    }
    path_ = fs::absolute(kept);
    const std::string flag = flag_of<&ProfileRequest::keep>();
    lock_.emplace(path_);
    // Files of another run would be read as processes of this one.
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
      if (entry.path().extension() != ".jsonl") continue;
      throw Error(ErrorKind::input,
                  format("'{}' holds the profiles of another run already", path_.string()),
                  format("{} takes a new or an empty folder", flag));
    }
  }
  ProfileFolder(const ProfileFolder&) = delete;
  ProfileFolder& operator=(const ProfileFolder&) = delete;
  ~ProfileFolder() {
    if (!holds_profiles_ || std::uncaught_exceptions() == exceptions_before_) return;
    if (temporary_) temporary_->keep();
    say_(format("the profile is kept in {}", path_.string()));
  }

  [[nodiscard]] const fs::path& path() const { return path_; }
  /// The program has run: from now on errors leave the folder.
  void holds_profiles() { holds_profiles_ = true; }

 private:
  std::function<void(std::string_view line)> say_;
  std::optional<TemporaryFolder> temporary_;  ///< where the user wants none
  std::optional<FolderLock> lock_;            ///< keeps a second run out of the user's folder
  fs::path path_;
  bool holds_profiles_ = false;
  int exceptions_before_ = std::uncaught_exceptions();
};

namespace {

constexpr const char* injection_variable = "CUDA_INJECTION64_PATH";
constexpr const char* nvtx_variable = "NVTX_INJECTION64_PATH";
constexpr const char* preload_variable = "LD_PRELOAD";
constexpr double ns_per_ms = 1e6;

/// What the program's environment has in addition to this one's.
std::map<std::string, std::string> variables_of(const fs::path& library,
                                                const profile::ProfileRequest& request) {
  std::map<std::string, std::string> variables;
  variables[injection_variable] = library.string();
  variables[profile::profile_variable] = profile::text_of(request);
  // Else NVTX only names what makes nodes of graphs, which another tool's library may hear instead.
  const bool needs_nvtx = request.window.kind == profile::ProfileWindow::Kind::nvtx;
  if (needs_nvtx || std::getenv(nvtx_variable) == nullptr) {
    variables[nvtx_variable] = library.string();
  }
  // So that a program that ends by _exit is told of too. The loader takes blanks and colons for
  // ends of names.
  if (library.string().find_first_of(" :") != std::string::npos) return variables;
  const char* const others = std::getenv(preload_variable);
  const bool has_others = others != nullptr && *others != '\0';
  variables[preload_variable] =
      has_others ? format("{}:{}", others, library.string()) : library.string();
  return variables;
}

/// What the library is asked; folder and CUPTI are the caller's.
profile::ProfileRequest requested(const ProfileRequest& request) {
  using Window = profile::ProfileWindow::Kind;
  using Step = profile::StepRule::Kind;
  if (request.program.empty()) {
    throw Error(ErrorKind::usage, "profile needs a command", "rooflab profile -- python3 train.py");
  }
  profile::ProfileRequest asked = {.folder = {},
                                   .mode = request.mode,
                                   .window = request.window,
                                   .step = request.step,
                                   .counters = !request.no_counters,
                                   .cupti = {},
                                   .limit = request.limit,
                                   .interval_ns = std::llround(request.interval * ns_per_ms),
                                   .overhead = request.overhead};
  // A range that the user named around a step is the step.
  if (asked.step.kind == Step::automatic && asked.window.kind == Window::nvtx) {
    asked.step.kind = Step::window;
  }
  const bool counts_kernels = asked.mode == profile::ProfileMode::kernels && asked.counters;
  if (asked.overhead != profile::Overhead() && !counts_kernels) {
    throw Error(ErrorKind::usage,
                format("{} bounds what counting kernels costs, and none are counted",
                       flag_of<&ProfileRequest::overhead>()),
                format("{} kernels", flag_of<&ProfileRequest::mode>()));
  }
  const bool part = asked.window.kind == Window::part;
  const bool tells_steps =
      asked.mode != profile::ProfileMode::trace && asked.mode != profile::ProfileMode::sample;
  if (request.no_counters && asked.mode == profile::ProfileMode::sample) {
    throw Error(ErrorKind::usage, "samples over time are counters",
                format("leave out {}, or {} kernels", flag_of<&ProfileRequest::no_counters>(),
                       flag_of<&ProfileRequest::mode>()));
  }
  if (part && !tells_steps) {
    throw Error(ErrorKind::usage,
                format("{} {} is a part of every step, and {} {} tells no steps apart",
                       flag_of<&ProfileRequest::window>(), text_of(asked.window),
                       flag_of<&ProfileRequest::mode>(), name_of(asked.mode)),
                format("{} totals or kernels", flag_of<&ProfileRequest::mode>()));
  }
  if (asked.step.kind == Step::window && (part || asked.window.kind == Window::all)) {
    const std::string window = flag_of<&ProfileRequest::window>();
    throw Error(ErrorKind::usage,
                format("{} window needs a window that opens for each step",
                       flag_of<&ProfileRequest::step>()),
                format("{} nvtx:NAME, or {} profiler", window, window));
  }
  return asked;
}

/// The driver loads one such library, and one program can read the counters.
void refuse_to_nest(const counters::CounterAccess& access) {
  if (!access.injection) return;
  throw Error(ErrorKind::capability,
              format("{} is set already, to {}: another profiler is at work", injection_variable,
                     *access.injection),
              format("start rooflab outside of it, or unset {}", injection_variable));
}

/// `python3 (2191 on host), rank 0`: processes of one program have one name.
std::string process_of(const record::Record& record) {
  if (!record.kernels || record.kernels->processes.size() == 0) return record.identity.model;
  return record.kernels->processes[0];
}

bool used_gpu(const record::Record& record) {
  return (record.kernels && record.kernels->size() > 0) ||
         (record.trace && !record.trace->copies.empty()) || record.hardware_samples ||
         record.counting;
}

/// Helpers of a program start CUDA and leave the work to others. Where nobody worked, all stay:
/// they say why.
void leave_helpers_out(std::vector<record::Record>& records) {
  if (std::ranges::none_of(records, used_gpu)) return;
  std::erase_if(records, [](const record::Record& record) { return !used_gpu(record); });
}

std::vector<analyze::Recording> recordings_in(const fs::path& folder, const Session& session) {
  std::string ignored;
  const std::vector<record::DeviceIdentity> gpus = monitor::detect_gpus(ignored);
  std::vector<analyze::Recording> recordings;
  std::vector<record::Record> records = counters::read_profiles(folder);
  leave_helpers_out(records);
  for (record::Record& record : records) {
    record::Environment& environment = record.environment;
    environment.rooflab = session.version;
    environment.command = record.identity.command = session.command;
    monitor::describe_host(environment);
    for (const record::DeviceIdentity& gpu : gpus) {
      if (gpu.uuid == environment.device.uuid) environment.device.driver = gpu.driver;
    }
    std::string source = records.size() > 1 ? process_of(record) : record.identity.model;
    recordings.push_back({std::move(record), std::move(source)});
  }
  return recordings;
}

}  // namespace

const Parameters& parameters_of(For<ProfileRequest>) {
  static const Parameters all = {
      parameter<&ProfileRequest::program>("COMMAND...", "what to run, after --",
                                          {.positional = true, .whole_words = true}),
      parameter<&ProfileRequest::mode>("M",
                                       "times; totals adds counters of a step, kernels those of "
                                       "each kernel; sample counts over time"),
      parameter<&ProfileRequest::window>(
          "W",
          "what to record: step or all, forward, backward, both of every step, profiler, "
          "nvtx:NAME, launches:SKIP[:COUNT], time:SKIP[:SECONDS]",
          {.example = "nvtx:train_step",
           .suggestions = {"all", "step", "forward", "backward", "both", "profiler"}}),
      parameter<&ProfileRequest::step>(
          "S", "where steps begin: auto, window or launches:N",
          {.example = "launches:100", .suggestions = {"auto", "window"}}),
      parameter<&ProfileRequest::no_counters>("times alone: no hardware counters"),
      parameter<&ProfileRequest::interval>(
          "MS", "length of a sample in milliseconds",
          {.example = "0.5",
           .needs = {{.key = std::string(key_of<&ProfileRequest::mode>()), .words = {"sample"}}},
           .least = 0.1,
           .most = 1000.0}),
      parameter<&ProfileRequest::overhead>(
          "SHARE",
          "largest slowdown that counting launch by launch may cause in a program without steps",
          {.example = "10%"}),
      parameter<&ProfileRequest::keep>("DIR", "keep the processes' profile files in this folder",
                                       {.writes = true, .completes = Completion::folder}),
      parameter<&ProfileRequest::limit>(
          "N", "trace at most N kernels, report how many were skipped", {.example = "1000000"}),
      part<&ProfileRequest::device_files>(),
  };
  return all;
}

ProfileResult run(const ProfileRequest& request, Session& session) {
  // Everything that can be wrong is said before the program starts.
  profile::ProfileRequest asked = requested(request);
  const device::Catalog catalog = request.device_files.catalog();
  const fs::path library = fs::absolute(require_injected_library(session.prefix));
  const counters::CounterAccess access = counters::counter_access();
  refuse_to_nest(access);
  const auto folder = std::make_shared<ProfileFolder>(request.keep, session);
  asked.folder = folder->path().string();
  if (access.cupti) asked.cupti = access.cupti->string();

  SignalWatch signals;
  const WatchedCommand running(request.program, signals, variables_of(library, asked));
  constexpr double look_again_s = 0.25;
  while (!running.has_ended()) signals.wait(look_again_s, &running, session);
  ProfileResult result{
      .recorded = {}, .findings = {}, .exit_code = running.reap().exit_code, .folder = folder};
  // A server goes on after the command that started it.
  bool told = false;
  while (!counters::profiled_processes(folder->path()).empty()) {
    if (!std::exchange(told, true)) {
      session.say(
          "the command has ended; its processes that go on are profiled until they end, or "
          "until Ctrl-C");
    }
    if (signals.wait(look_again_s, nullptr, session)) break;
  }

  // What its processes left.
  folder->holds_profiles();
  std::vector<analyze::Recording> recordings = recordings_in(folder->path(), session);
  if (recordings.empty()) {
    session.say("nothing was recorded: no process of the command used CUDA (none called cuInit)");
  }
  add_imported(result.recorded, std::move(recordings), catalog);
  result.findings = imported_findings_for(result.recorded);
  return result;
}

}  // namespace rooflab::task
