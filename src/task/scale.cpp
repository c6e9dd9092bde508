#include "rooflab/task/scale.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "engine/ranks.hpp"
#include "finding_commands.hpp"
#include "notes/task_notes.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/results.hpp"
#include "rooflab/task/session.hpp"
#include "run_list.hpp"
#include "setting_use.hpp"

namespace rooflab::task {
namespace {

using record::ScaleRun;
using record::Status;

/// Where the ranks of all runs are.
struct Ranks {
  std::vector<std::string> devices;        ///< one for each rank of this host
  std::optional<engine::RankPlace> place;  ///< under a launcher
  engine::Capabilities here;               ///< the worker's, once it was asked

  [[nodiscard]] bool reports() const { return !place || place->rank == 0; }
};

/// A run's number of ranks and their own batch.
struct Size {
  int ranks = 1;
  std::int64_t batch = 1;

  friend bool operator==(const Size&, const Size&) = default;
};

std::vector<std::string> rank_devices(const ScaleRequest& request) {
  const std::string flag = flag_of<&ScaleRequest::device>();
  std::vector<std::string> chosen;
  for (const std::string& name : request.device) {
    const std::string device = run_device(
        name, format("scale takes one for each rank: {} cuda:0,cuda:1, or cpu,cpu", flag));
    if (device != "cpu" && std::ranges::find(chosen, device) != chosen.end()) {
      throw Error(ErrorKind::usage, format("{} names {} twice", flag, device),
                  "NCCL takes one rank on each GPU");
    }
    chosen.push_back(device);
  }
  const auto cpus = std::ranges::count(chosen, "cpu");
  if (cpus != 0 && cpus != std::ssize(chosen)) {
    throw Error(ErrorKind::usage, format("{}: CPUs and GPUs cannot train together", flag),
                "NCCL joins GPUs, Gloo CPUs");
  }
  return chosen;
}

std::vector<int> numbers_of_ranks(const ScaleRequest& request, const Ranks& ranks) {
  const std::string flag = flag_of<&ScaleRequest::gpus>();
  if (ranks.place) {
    if (request.gpus.empty()) return {ranks.place->size};
    throw Error(ErrorKind::usage,
                format("{} cannot be used under a launcher, which sets the number of ranks", flag),
                format("leave {} out, or run without torchrun, srun or mpirun", flag));
  }
  const auto most = static_cast<int>(ranks.devices.size());
  std::vector<int> numbers;
  for (const int number : request.gpus) {
    if (number > most) {
      throw Error(
          ErrorKind::usage,
          format("{} {}: {} names only {}", flag, number, flag_of<&ScaleRequest::device>(), most),
          "name one device for each rank");
    }
    if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
  }
  if (!numbers.empty()) return numbers;
  for (int number = 1; number < most; number *= 2) numbers.push_back(number);
  numbers.push_back(most);
  return numbers;
}

/// A size that two kinds of scaling share is there once.
std::vector<Size> sizes(const ScaleRequest& request, const Ranks& ranks) {
  const std::int64_t batch = request.network.batch.front();
  std::vector<Size> all;
  const auto add = [&all](const Size& size) {
    if (std::ranges::find(all, size) == all.end()) all.push_back(size);
  };
  for (const int number : numbers_of_ranks(request, ranks)) {
    if (request.scaling != ScaledBatch::strong) add({number, batch});
    if (request.scaling == ScaledBatch::weak) continue;
    if (batch % number != 0) {
      throw Error(
          ErrorKind::usage,
          format("a global batch of {} cannot be shared by {} devices evenly", batch, number),
          format("{} {}", flag_of<&NetworkSettings::batch>(), (batch / number + 1) * number));
    }
    add({number, batch / number});
  }
  return all;
}

/// The command line of one run; what its prediction rests on is left out.
std::string command_of(const ScaleRequest& request, const record::CaseIdentity& identity,
                       const Ranks& ranks, int number) {
  ScaleRequest one = request;
  one.models = {identity.model};
  one.device = ranks.devices;
  one.gpus = {number};
  one.scaling = ScaledBatch::weak;
  one.network.batch = {identity.batch};
  one.network.choose(identity.precision);
  one.link = {};
  one.as_device.clear();
  one.calibrations = {};
  one.device_files = {};
  one.resume = false;
  return command_line_of(one);
}

engine::ScaleRequest planned_run(const ScaleRequest& request, const Ranks& ranks,
                                 const std::string& model, const Size& size,
                                 const schedule::LoweringOptions& lowering, SettingUse& use) {
  const LoadedModel loaded =
      in_case(model, size.batch, [&] { return load_model(model, size.batch, request.network); });
  (void)use.add(loaded);
  if (loaded.graph.parameter_elements() == 0) {
    throw Error(ErrorKind::usage, format("{} has no parameters: there is nothing to train", model));
  }
  engine::ScaleRequest planned;
  planned.request.graph = loaded.runnable();
  request.timing.apply(planned.request.settings);
  planned.devices = ranks.devices;  // under a launcher those of one host
  if (!ranks.place) planned.devices.resize(static_cast<std::size_t>(size.ranks));
  planned.timeout_s = request.timeout;
  planned.exchange_alone = planned.kernels = !request.steps_only;
  record::CaseIdentity& identity = planned.request.identity;
  identity.model = loaded.name;
  identity.device = planned.devices.front();
  identity.worker = engine::torch_worker;
  identity.batch = size.batch;
  identity.phase = lowering.phase;
  identity.precision = loaded.precision(lowering);
  // fp16 is what `amp` is for all ranks where one of their devices does not compute bf16.
  for (const std::string& device : planned.devices) {
    identity.precision = precision_here(ranks.here, device, identity.precision);
  }
  identity.optimizer = name_of(lowering.optimizer);
  identity.variant = request.network.variant;
  identity.channels_last = lowering.channels_last;
  identity.graph = graph::to_text(loaded.graph);
  identity.command = command_of(request, identity, ranks, size.ranks);
  return planned;
}

/// Every run, by model, precision and number of ranks.
std::vector<engine::ScaleRequest> plan(const ScaleRequest& request, const Ranks& ranks) {
  // The phase is not among the settings: scaling is of training.
  SettingUse use(request.network, {.other_sizes = false, .training = true});
  std::vector<engine::ScaleRequest> all;
  for (const std::string& model : request.models) {
    for (const schedule::LoweringOptions& lowering : lowerings(request.network)) {
      for (const Size& size : sizes(request, ranks)) {
        all.push_back(planned_run(request, ranks, model, size, lowering, use));
      }
    }
  }
  use.check();
  return all;
}

/// Ranks of one run must not meet those of the run before, who may still be leaving: every run has
/// a separate port, but where the launcher holds the place to meet.
engine::RankPlace place_of_run(engine::RankPlace place, std::size_t run) {
  constexpr int ports = 65536;
  const char* const agent = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  const bool held = agent != nullptr && std::string_view(agent) == "True";
  const int port = place.port + static_cast<int>(run);
  if (!held && port < ports) place.port = port;
  return place;
}

int number_of(const engine::ScaleRequest& planned, const Ranks& ranks) {
  return ranks.place ? ranks.place->size : static_cast<int>(planned.devices.size());
}

std::string title_of(const record::CaseIdentity& identity, int number) {
  return format("{} {} on {} x {}, batch {} each", identity.model, name_of(identity.precision),
                number, identity.device.substr(0, identity.device.find(':')),
                identity.batch.value());
}

/// One after the other, until the last one or until the session is stopped. `worker` may be empty
/// where the folder has all of them.
RunList<ScaleRun> run_all(const std::vector<engine::ScaleRequest>& planned, const Ranks& ranks,
                          const std::filesystem::path& worker, ScaleFolder& folder, bool resume,
                          const Session& session) {
  RunList<ScaleRun> runs;
  ListProgress progress("run", planned.size(), session);
  const engine::RunOptions options = progress.run_options(worker);
  for (std::size_t i = 0; i < planned.size() && !session.should_stop() && !runs.failure; ++i) {
    const record::CaseIdentity& identity = planned[i].request.identity;
    const int number = number_of(planned[i], ranks);
    if (resume && folder.finished(identity, number) != nullptr) {
      runs.runs.push_back(*folder.finished(identity, number));
      continue;
    }
    runs.do_next([&] {
      progress.begin(i, title_of(identity, number));
      std::optional<ScaleRun> run =
          ranks.place ? engine::run_one_rank(planned[i], place_of_run(*ranks.place, i), options)
                      : engine::run_ranks(planned[i], options);
      if (!run) return progress.end("");  // the first rank has it
      run->identity = identity;
      if (run->environment.rooflab.empty()) run->environment.rooflab = session.version;
      progress.end(run->step_s(), run->status);
      runs.runs.push_back(*std::move(run));
      folder.write(runs.runs.back());
    });
  }
  return runs;
}

/// A prediction for each run that one can be made for; `notes` says why the others lack it.
std::vector<std::optional<analyze::RunPrediction>> predictions_of(const std::vector<ScaleRun>& runs,
                                                                  const ScaleRequest& request,
                                                                  const Session& session,
                                                                  std::vector<Note>& notes) {
  const device::Catalog catalog = request.device_files.catalog();
  const analyze::Predictor predictor(catalog, request.calibrations.read_known(catalog, true));
  const analyze::KnownCalibrations& known = predictor.calibrations();
  std::optional<device::Device> other;
  if (!request.as_device.empty()) other = named_device(request.as_device, catalog, session);
  std::vector<std::optional<analyze::RunPrediction>> predictions;
  for (const ScaleRun& run : runs) {
    predictions.emplace_back();
    std::optional<Note> ignored;
    const std::optional<device::Device> device =
        other ? other : analyze::find_device(catalog, run.environment.device, ignored);
    if (!device) {
      add_notes(notes, {{says.no_prediction_of_device,
                         {run.environment.device.name, flag_of<&ScaleRequest::as_device>()}}});
      continue;
    }
    // The steps are issued by this program, not by PyTorch.
    const auto model = predictor.model_for(*device, {.usual = "rooflab"});
    if (!model) {
      add_notes(notes, {{says.no_prediction_without_calibration, {device->name}}});
      continue;
    }
    try {
      const predict::LinkModel link = request.link.model_for(*device, known);
      predictions.back() = analyze::prediction_of(run, *model, link, request.link.all_reduce);
      if (predictions.back()) add_notes(notes, link.notes(run.ranks_wanted));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage || !words_of(request.link).empty()) throw;
      add_notes(notes,
                {{says.no_prediction_without_link, {error.what(), flag_of<&LinkChoice::link>()}}});
    }
  }
  return predictions;
}

void check(const ScaleRequest& request, const Ranks& ranks) {
  const std::string resume = flag_of<&ScaleRequest::resume>();
  if (request.resume && request.folder.empty()) {
    throw Error(ErrorKind::usage, format("{} needs the folder of the runs", resume),
                format("for example -o results {}", resume));
  }
  if (request.resume && ranks.place && ranks.place->size > 1) {
    throw Error(
        ErrorKind::usage,
        format("{} does not work under a launcher: only rank 0 sees the finished runs", resume),
        "run what is missing by hand");
  }
  request.link.check();
  check_models(request.models, request.network);
  if (!request.as_device.empty()) (void)request.device_files.catalog().find(request.as_device);
}

}  // namespace

const Parameters& parameters_of(For<ScaleRequest>) {
  static const Parameters all = {
      parameter<&ScaleRequest::models>("MODEL...", "built-in models or ONNX files",
                                       {.positional = true,
                                        .required = true,
                                        .completes = Completion::model,
                                        .predictable = true}),
      parameter<&ScaleRequest::device>("D,...", "one for each rank: cuda:0,cuda:1, or cpu,cpu",
                                       {.example = "cuda:0,cuda:1",
                                        .required = true,
                                        .completes = Completion::run_device,
                                        .predictable = true}),
      parameter<&ScaleRequest::gpus>(
          "N,...", "how many of them train together",
          {.default_text = "1, 2, 4, ... and all", .example = "1,2,4", .predictable = true}),
      parameter<&ScaleRequest::scaling>(
          "S", "--batch counts samples per device (weak) or over all devices (strong)",
          {.example = "strong", .predictable = true}),
      part<&ScaleRequest::network>(of_networks_that_run(parameters_of(For<NetworkSettings>{}))
                                       .without<&NetworkSettings::phase>()
                                       .with<&NetworkSettings::batch>([](Parameter& each) {
                                         each.single = true;
                                         each.help = "batch size";
                                         each.default_text.clear();
                                       })),
      part<&ScaleRequest::timing>(
          parameters_of(For<TimingChoice>{}).with<&TimingChoice::threads>([](Parameter& each) {
            each.help = "CPU threads of each rank";
            each.default_text = "an equal share";
          })),
      aside(
          {parameter<&ScaleRequest::timeout>(
               "S", "abort when a rank has not reported for this many seconds", {.example = "120"}),
           parameter<&ScaleRequest::steps_only>(
               "leave out steps without exchange, exchange alone and traced kernels")}),
      part<&ScaleRequest::link>(),
      aside({parameter<&ScaleRequest::as_device>("D", "predict for this one of `rooflab devices`",
                                                 {.default_text = "the device itself",
                                                  .example = "h200",
                                                  .completes = Completion::device})}),
      part<&ScaleRequest::calibrations>(),
      part<&ScaleRequest::device_files>(),
      aside({parameter<&ScaleRequest::resume>("leave out the runs that the folder has already")}),
  };
  return all;
}

bool ScaleResult::all_ok() const {
  return std::ranges::all_of(runs, [](const ScaleRun& each) { return each.status == Status::ok; });
}

bool ScaleResult::doubtful() const {
  return std::ranges::any_of(runs, [](const ScaleRun& each) { return !each.warnings.empty(); });
}

ScaleResult run(const ScaleRequest& request, Session& session) {
  // Everything that can be wrong is said before anything runs.
  Ranks ranks{{}, engine::place_from_environment(engine::own_environment()), {}};
  check(request, ranks);
  ranks.devices = rank_devices(request);
  std::vector<engine::ScaleRequest> planned = plan(request, ranks);
  // Under a launcher every process runs its own rank, and the first one reports.
  ScaleFolder folder(ranks.reports() ? request.folder : "");
  for (const std::string& file : folder.unreadable()) session.say(file);
  const auto is_there = [&](const engine::ScaleRequest& each) {
    return folder.finished(each.request.identity, number_of(each, ranks)) != nullptr;
  };
  // A folder that has all of them is reported anywhere.
  std::filesystem::path worker;
  if (!request.resume || !std::ranges::all_of(planned, is_there)) {
    worker = require_torch_worker(session.prefix);
    ranks.here = require_run_devices(ranks.devices, worker);
    planned = plan(request, ranks);
  }

  ScaleResult result;
  result.reports = ranks.reports();
  RunList<ScaleRun> list = run_all(planned, ranks, worker, folder, request.resume, session);
  result.interrupted = result.reports ? list.is_cut_short(planned.size()) : session.should_stop();
  result.failure = std::move(list.failure);
  result.runs = std::move(list.runs);
  if (!result.reports) return result;

  // What was measured, compared with what was expected and with one device.
  std::vector<Note> notes;
  result.scaling =
      analyze::scaling_of(result.runs, predictions_of(result.runs, request, session, notes));
  result.scaling.notes = std::move(notes);
  result.findings = findings_for(result.scaling);
  return result;
}

}  // namespace rooflab::task
