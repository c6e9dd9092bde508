#include "rooflab/task/measure.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "data/batch_loader.hpp"
#include "data/dataset.hpp"
#include "describe/parameter_list.hpp"
#include "finding_commands.hpp"
#include "monitor/host.hpp"
#include "notes/onnx_notes.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/results.hpp"
#include "rooflab/task/session.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "run_list.hpp"
#include "setting_use.hpp"

namespace rooflab::task {
namespace {

using analyze::MeasuredCase;
using record::Record;

/// A case to run, complete with identity.
struct MeasuredPlan {
  engine::Case request;
  std::vector<Note> notes;  ///< notes of the importer and the rewrite
};

std::vector<std::string> run_devices(const MeasureRequest& request) {
  std::vector<std::string> chosen;
  for (const std::string& name : request.device) {
    const std::string device = run_device(
        name, format("measure runs on what is here (rooflab devices --detect); predict takes the"
                     " names of rooflab devices, and {} takes one here",
                     flag_of<&MeasureRequest::as_device>()));
    if (std::ranges::find(chosen, device) == chosen.end()) chosen.push_back(device);
  }
  return chosen;
}

void check(const MeasureRequest& request) {
  if (request.per_layer && request.no_layers) {
    throw Error(ErrorKind::usage,
                format("{} and {} exclude each other", flag_of<&MeasureRequest::per_layer>(),
                       flag_of<&MeasureRequest::no_layers>()),
                "without either, layers are timed and shown by class");
  }
  if (request.data != "dummy") (void)data::open_dataset(request.data, data::Split::train);
  request.layers.check(request.models, request.network);
  if (request.resume && request.folder.empty()) {
    const std::string resume = flag_of<&MeasureRequest::resume>();
    throw Error(ErrorKind::usage, format("{} needs the folder of the records", resume),
                format("for example -o results {}", resume));
  }
}

/// The prediction next to the steps is for the host that issues them. A CPU runs what it issues,
/// and with the limit of another device nothing is predicted.
double host_time_s(const MeasureRequest& request, const std::string& device) {
  return device == "cpu" || !request.as_device.empty() ? 0.0 : request.host_time;
}

engine::MeasureSettings settings_of(const MeasureRequest& request) {
  engine::MeasureSettings settings;
  request.timing.apply(settings);
  settings.per_layer = !request.no_layers;
  settings.counters = request.counters;
  settings.data_workers = request.data_workers;
  return settings;
}

/// The command line of one case; what it is compared with is left out.
std::string command_of(const MeasureRequest& request, const record::CaseIdentity& identity,
                       const ListedNetwork& network, const std::filesystem::path& worker) {
  MeasureRequest one = request;
  network.choose(one.models, one.layers, one.network);
  one.device = {identity.device};
  // A file keeps its own batch unless one was asked for.
  const bool built_in = !network.input && zoo::find_model(identity.model) != nullptr;
  if (built_in) one.network.batch = {identity.batch};
  one.network.choose(identity.phase);
  one.network.choose(identity.precision);
  one.as_device.clear();
  one.device_files = {};
  one.calibrations = {};
  one.resume = false;
  // However the user wrote its path.
  if (one.worker && one.worker->find('/') != std::string::npos) one.worker = worker.string();
  return command_line_of(one);
}

/// Throws Error (usage) where a part of the types would be other than asked for: a record has one
/// word for all of them.
Precision run_precision(const LoadedModel& loaded, const schedule::LoweringOptions& lowering) {
  const Precision made = loaded.precision(lowering);
  if (made != Precision::mixed || lowering.precision == usual_precision) return made;
  throw Error(ErrorKind::usage,
              format("{} {}: only a part of {} would be", flag_of<&NetworkSettings::precision>(),
                     name_of(lowering.precision), loaded.name),
              format("leave {} out: it then runs in the types of its file",
                     flag_of<&NetworkSettings::precision>()));
}

/// Adds the cases of one network. `here`, the worker's devices, settles what `amp` is on each of
/// them; two cases that come to the same are one.
void add_network(std::vector<MeasuredPlan>& cases, const MeasureRequest& request,
                 const ListedNetwork& network, const engine::Capabilities& here, SettingUse& use) {
  const LoadedModel loaded =
      network.load(request.network, request.weights == engine::WeightSource::file);
  MeasuredPlan planned;
  planned.notes = loaded.notes;
  planned.request.graph = loaded.runnable();
  planned.request.settings = settings_of(request);
  planned.request.weights = request.weights;
  if (!loaded.file.empty()) planned.request.source_file = std::filesystem::absolute(loaded.file);
  if (request.weights == engine::WeightSource::file) {
    for (const auto& [name, place] : loaded.places) {
      planned.request.values[name] = {place.file, place.offset};
    }
    planned.request.bytes = loaded.bytes;
    add_notes(planned.notes, loaded.value_notes);
  }
  record::CaseIdentity& identity = planned.request.identity;
  identity.model = loaded.name;
  identity.batch = planned.request.graph.batch();
  identity.variant = request.network.variant;
  identity.rewrite = network.rewrite;
  identity.data = request.data;
  identity.worker = here.build.worker.empty() ? engine::torch_worker : here.build.worker;
  if (!identity.other_worker().empty()) {  // which runs the file as it is
    std::erase_if(planned.notes, [](const Note& note) {
      return note.code == onnx::says.norms_folded ||
             note.code == onnx::says.norms_or_biases_left_out;
    });
  }
  identity.graph = graph::to_text(planned.request.graph);
  add_notes(planned.notes, use.add(loaded));
  for (const schedule::LoweringOptions& lowering : loaded.lowerings(request.network)) {
    check_trainable(loaded, lowering.phase);
    identity.phase = lowering.phase;
    identity.channels_last = lowering.channels_last;
    identity.optimizer = lowering.phase == Phase::training ? name_of(lowering.optimizer) : "";
    for (const std::string& device : run_devices(request)) {
      identity.device = device;
      planned.request.settings.host_time_s = host_time_s(request, device);
      identity.precision = precision_here(here, device, run_precision(loaded, lowering));
      identity.command = command_of(request, identity, network, here.path);
      const bool known = std::ranges::any_of(cases, [&identity](const MeasuredPlan& other) {
        return other.request.identity == identity;
      });
      if (!known) cases.push_back(planned);
    }
  }
}

/// Every combination, by model, batch, phase, precision, then device.
std::vector<MeasuredPlan> plan(const MeasureRequest& request,
                               const engine::Capabilities& here = {}) {
  SettingUse use(request.network);
  std::vector<MeasuredPlan> cases;
  for (const ListedNetwork& each :
       listed_networks(request.models, request.layers, request.network)) {
    in_case(each.name, each.batch, [&] { add_network(cases, request, each, here, use); });
  }
  use.check();
  return cases;
}

/// The worker that runs the cases.
std::filesystem::path worker_of(const MeasureRequest& request, const Session& session) {
  return request.worker ? engine::chosen_worker(*request.worker, session.prefix)
                        : require_torch_worker(session.prefix);
}

/// Asks the worker for its devices, where it is one of others or a GPU is wanted. Throws Error
/// (capability) for one that is not there, and for counters of a CPU: only NVIDIA's GPUs have some
/// that we can read.
engine::Capabilities require_devices(const MeasureRequest& request,
                                     const std::filesystem::path& worker) {
  const std::vector<std::string> devices = run_devices(request);
  if (request.counters && std::ranges::find(devices, "cpu") != devices.end()) {
    const std::string counters = flag_of<&MeasureRequest::counters>();
    const std::string device = flag_of<&MeasureRequest::device>();
    throw Error(ErrorKind::capability,
                format("{} needs an NVIDIA GPU, a CPU has none to read", counters),
                format("{} cuda; leave {} out for {} cpu", device, counters, device));
  }
  if (!request.worker) return require_run_devices(devices, worker);
  if (request.counters) {
    throw Error(ErrorKind::capability,
                format("{} needs {}, not {}", flag_of<&MeasureRequest::counters>(),
                       engine::torch_worker, *request.worker));
  }
  engine::Capabilities here = engine::describe(worker);
  for (const std::string& device : devices) (void)present_device(here, device);
  return here;
}

/// What the worker need not know, or could not say when it died.
void complete(Record& record, const record::CaseIdentity& identity,
              const engine::Capabilities& worker, const Session& session) {
  record.identity = identity;
  record::Environment& environment = record.environment;
  if (!identity.other_worker().empty()) {
    monitor::describe_host(environment);
    environment.rooflab = session.version;
    environment.device = present_device(worker, identity.device);
    environment.libraries.insert(worker.libraries.begin(), worker.libraries.end());
    if (worker.build.version) {
      environment.libraries.try_emplace(worker.build.worker, *worker.build.version);
    }
  }
  if (!session.command.empty()) environment.command = session.command;
  if (environment.rooflab.empty()) environment.rooflab = session.version;
  if (!environment.device.kind.empty()) return;
  environment.device.kind = identity.device == "cpu" ? "cpu" : "cuda";
}

/// One after the other, until the last one or until the session is stopped; the case that ran then
/// is the last and has that status.
RunList<Record> run_cases(const std::vector<MeasuredPlan>& cases, const MeasureRequest& request,
                          const engine::Capabilities& worker, RecordFolder& folder,
                          const Session& session) {
  RunList<Record> records;
  ListProgress progress("case", cases.size(), session);
  engine::RunOptions options = progress.run_options(worker.path);
  options.name = worker.build.worker;
  options.timeout_s = request.timeout.value_or(0.0);
  for (std::size_t i = 0; i < cases.size() && !session.should_stop() && !records.failure; ++i) {
    const record::CaseIdentity& identity = cases[i].request.identity;
    if (request.resume && folder.finished(identity) != nullptr) {
      records.runs.push_back(*folder.finished(identity));
      continue;
    }
    records.do_next([&] {
      progress.begin(i, title_of(identity));
      Record record = engine::run_case(cases[i].request, options);
      complete(record, identity, worker, session);
      progress.end(record.timing ? record.timing->median_s() : std::nullopt, record.status);
      records.runs.push_back(std::move(record));
      folder.write(records.runs.back());
    });
  }
  return records;
}

void say_what_is_there(const std::vector<MeasuredPlan>& cases, const RecordFolder& folder,
                       const MeasureRequest& request, const Session& session) {
  for (const std::string& file : folder.unreadable()) session.say(file);
  if (!request.resume) return;
  const auto there = std::ranges::count_if(cases, [&folder](const MeasuredPlan& planned) {
    return folder.finished(planned.request.identity) != nullptr;
  });
  session.say(format("{} of {} cases are in {} already: not measured again", there, cases.size(),
                     request.folder.string()));
}

}  // namespace

const Parameters& parameters_of(For<MeasureRequest>) {
  static const Parameters all = {
      parameter<&MeasureRequest::models>(
          "MODEL...", "built-in models or ONNX files",
          {.positional = true, .completes = Completion::model, .predictable = true}),
      parameter<&MeasureRequest::device>("D,...", "where to run: cpu, cuda, cuda:N, gpu or here",
                                         {.example = "cuda",
                                          .required = true,
                                          .completes = Completion::run_device,
                                          .predictable = true}),
      part<&MeasureRequest::network>(
          of_a_model({key_of<&MeasureRequest::models>()},
                     of_networks_that_run(parameters_of(For<NetworkSettings>{})))),
      part<&MeasureRequest::layers>(),
      aside({parameter<&MeasureRequest::data>("D", "dummy, folder:PATH or cifar10:PATH"),
             parameter<&MeasureRequest::data_workers>("N", "threads that decode images",
                                                      {.example = "8", .most = data::most_workers}),
             parameter<&MeasureRequest::weights>("W", "where the values of parameters come from",
                                                 {.words = {"random", "file"}})}),
      part<&MeasureRequest::timing>(),
      parameter<&MeasureRequest::worker>(
          "W", "a worker of others runs the cases: its name, or its path",
          {.default_text = std::string(engine::torch_worker), .example = "./my-worker"}),
      aside({parameter<&MeasureRequest::timeout>("S", "stop a case after S seconds",
                                                 {.default_text = "never", .example = "600"}),
             parameter<&MeasureRequest::host_time>(
                 "S", "seconds for the host's issue costs, behind the steps of a GPU; 0: none",
                 {.example = "0", .least = 0.0, .most = 60.0}),
             parameter<&MeasureRequest::per_layer>("add a table of layer times for every case"),
             parameter<&MeasureRequest::no_layers>("skip the per-layer runs"),
             parameter<&MeasureRequest::counters>(
                 "count FLOPs and bytes of every layer in the hardware (NVIDIA)"),
             parameter<&MeasureRequest::as_device>(
                 "D", "compute the limit for this device of `rooflab devices`",
                 {.default_text = "the device itself",
                  .example = "h200",
                  .completes = Completion::device})}),
      part<&MeasureRequest::device_files>(),
      part<&MeasureRequest::calibrations>(),
      aside(
          {parameter<&MeasureRequest::resume>("leave out the cases that the folder has already")}),
  };
  return all;
}

bool MeasureResult::all_ok() const {
  return std::ranges::all_of(
      cases, [](const MeasuredCase& each) { return each.record.status == record::Status::ok; });
}

bool MeasureResult::doubtful() const {
  return std::ranges::any_of(cases, [](const MeasuredCase& each) {
    return !each.warnings.empty() || (each.model && !each.model->count.uncounted.empty());
  });
}

MeasureResult run(const MeasureRequest& request, Session& session) {
  // Everything that can be wrong is said before anything runs.
  check(request);
  std::vector<MeasuredPlan> cases = plan(request);
  const device::Catalog known = request.device_files.catalog();
  const device::Catalog catalog = request.calibrations.with_probed(known);
  std::optional<device::Device> limit_device;
  if (!request.as_device.empty()) limit_device = named_device(request.as_device, known, session);
  const analyze::CalibrationLookup expectations = request.calibrations.lookup(known);
  const std::filesystem::path worker = worker_of(request, session);
  engine::Capabilities here = require_devices(request, worker);
  if (!here.devices.empty()) cases = plan(request, here);

  // Each case in a separate process, its record on disk as soon as it ends.
  RecordFolder folder(request.folder);
  say_what_is_there(cases, folder, request, session);
  here.path = worker;
  RunList<Record> records = run_cases(cases, request, here, folder, session);

  // What was measured, compared with what is possible.
  MeasureResult result;
  result.interrupted = records.is_cut_short(cases.size());
  result.failure = std::move(records.failure);
  for (std::size_t i = 0; i < records.runs.size(); ++i) {
    MeasuredCase measured =
        analyze::measured_case_of(std::move(records.runs[i]), catalog, limit_device, expectations);
    add_notes(measured.notes, cases[i].notes);
    result.cases.push_back(std::move(measured));
  }
  result.findings = findings_for(std::span<const MeasuredCase>(result.cases));
  return result;
}

}  // namespace rooflab::task
