#include "rooflab/task/train.hpp"

#include <algorithm>
#include <utility>

#include "advice_trials.hpp"
#include "base/format.hpp"
#include "data/batch_loader.hpp"
#include "describe/parameter_list.hpp"
#include "finding_commands.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"
#include "rooflab/training/training_statistics.hpp"
#include "run_list.hpp"
#include "system/folder_lock.hpp"
#include "training_plan.hpp"
#include "training_runs.hpp"

namespace rooflab::task {
namespace {

namespace fs = std::filesystem;
using engine::TrainingRequest;

void check(const TrainRequest& request) {
  const std::string report = flag_of<&TrainRequest::report>();
  const std::string tries = flag_of<&TrainRequest::try_advice>();
  if (!request.report.empty()) {
    if (request.folder.empty()) return;
    throw Error(ErrorKind::usage, format("{} shows what was trained and trains nothing", report),
                "-o takes a file here");
  }
  if (request.model.empty()) {
    throw Error(ErrorKind::usage, "MODEL is missing", "rooflab train -h");
  }
  const bool has_folder = !request.folder.empty();
  if (request.try_advice && (has_folder || request.resume)) {
    throw Error(ErrorKind::usage,
                format("{} keeps no runs: it needs no folder and cannot resume", tries),
                "-o takes a file here");
  }
  if (!request.try_advice && !has_folder) {
    throw Error(ErrorKind::usage, "-o DIR is missing: the runs, their weights and checkpoints",
                "for example -o runs");
  }
}

/// How the weights change.
Parameters recipe_parameters() {
  return {
      parameter<&TrainRequest::lr>(
          "X", "the schedule's peak",
          {.default_text = "0.1 per 256 images; see --help", .example = "0.1"}),
      parameter<&TrainRequest::momentum>("X", "momentum of sgd-momentum",
                                         {.example = "0.1", .least = 0, .most = 1}),
      parameter<&TrainRequest::weight_decay>(
          "X", "weight decay of all parameters",
          {.default_text = "5e-4; 1e-4 for images above 64 pixels",
           .example = "0.1",
           .least = 0,
           .most = 1}),
      parameter<&TrainRequest::nesterov>("Nesterov's momentum"),
      parameter<&TrainRequest::schedule>("S", "schedule of the learning rate",
                                         {.words = {"one-cycle", "cosine", "step", "constant"}}),
      parameter<&TrainRequest::warmup_epochs>(
          "X", "warm-up for every schedule except one-cycle",
          {.default_text = "5 above batch 256, else 0", .example = "3", .least = 0}),
      parameter<&TrainRequest::milestones>(
          "N,...", "epochs at which the step schedule cuts the rate to a tenth",
          {.example = "15,25"}),
      parameter<&TrainRequest::label_smoothing>("X", "label smoothing of the training loss",
                                                {.example = "0.1", .least = 0, .most = 1}),
      parameter<&TrainRequest::no_augment>("leave out random crops and flips"),
      parameter<&TrainRequest::deterministic>("use the libraries' deterministic algorithms")};
}

/// At the accuracy that was asked for.
bool ended_well(const record::TrainingRun& run) {
  return run.status == record::Status::ok && (!run.target_accuracy || run.reached_s);
}

}  // namespace

AccuracyGoal AccuracyGoal::from_word(std::string_view word, const Parameter& parameter) {
  constexpr std::string_view prefix = "accuracy=";
  const std::optional<double> value =
      word.starts_with(prefix) ? parse_number(word.substr(prefix.size())) : std::nullopt;
  if (!value || *value <= 0.0 || *value > 1.0) {
    parameter.refuse("accuracy=X with X above 0 and up to 1", word);
  }
  return {*value};
}

std::string AccuracyGoal::word() const { return format("accuracy={}", accuracy); }

const Parameters& parameters_of(For<TrainRequest>) {
  static const Parameters all = {
      parameter<&TrainRequest::model>(
          "MODEL", "built-in model (rooflab models)",
          {.positional = true, .completes = Completion::model, .predictable = true}),
      aside({parameter<&TrainRequest::data>(
          "D", "cifar10:PATH or folder:PATH, with train/ and val/ or test/")}),
      parameter<&TrainRequest::device>(
          "D", "where to train: cpu, cuda, cuda:N, gpu or here",
          {.example = "cuda", .completes = Completion::run_device, .predictable = true}),
      parameter<&TrainRequest::batch>("N", "images per step",
                                      {.example = "128", .predictable = true}),
      aside({parameter<&TrainRequest::until>("GOAL",
                                             "end a run at this validation accuracy: accuracy=0.92",
                                             {.example = "accuracy=0.92"}),
             parameter<&TrainRequest::epochs>("N", "maximum; the schedule always spans all of them",
                                              {.example = "30"}),
             parameter<&TrainRequest::runs>("N", "number of runs; each uses the next seed",
                                            {.example = "5", .most = 10000}),
             parameter<&TrainRequest::seed>("N", "seed of the first run",
                                            {.example = "1", .least = 0})}),
      parameter<&TrainRequest::optimizer>("O", "the update rule",
                                          {.example = "adam", .predictable = true}),
      aside({recipe_parameters()}),
      parameter<&TrainRequest::precision>(
          "P", "how numbers are stored and multiplied",
          {.example = "amp", .words = precisions_to_ask_for(), .predictable = true}),
      parameter<&TrainRequest::channels_last>("images and kernels in channels-last order",
                                              {.predictable = true}),
      parameter<&TrainRequest::variant>("V", "another build of the model, as cifar (see models)",
                                        {.predictable = true}),
      parameter<&TrainRequest::classes>("N", "outputs of the network",
                                        {.default_text = "those of the data", .example = "10"}),
      parameter<&TrainRequest::image_size>(
          "PIXELS", "input height and width",
          {.default_text = "the model's", .example = "32", .predictable = true}),
      aside({parameter<&TrainRequest::data_workers>("N", "threads that decode images",
                                                    {.example = "8", .most = data::most_workers}),
             parameter<&TrainRequest::checkpoint_every>("S", "seconds between checkpoints",
                                                        {.example = "60"}),
             parameter<&TrainRequest::max_images>(
                 "N",
                 "use at most N images per epoch, for training and for validation (quick trials)",
                 {.default_text = "all", .example = "10000"}),
             parameter<&TrainRequest::max_time>(
                 "S", "stop a run after S seconds",
                 {.default_text = "never; with --try 20", .example = "20"}),
             parameter<&TrainRequest::resume>("keep complete runs, continue the others"),
             parameter<&TrainRequest::try_advice>(
                 "train briefly, apply the advice, show its effect", {.key = "try"}),
             parameter<&TrainRequest::report>("DIR...",
                                              "do not train; show the runs in these folders",
                                              {.beside = std::vector<std::string>(),
                                               .whole_words = true,
                                               .takes_words = true,
                                               .completes = Completion::folder})}),
  };
  return all;
}

TrainResult run(TrainRequest request, Session& session) {
  // Everything that can be wrong is said before anything runs.
  check(request);
  if (!request.report.empty()) {
    const auto summary = training::summarize_training(read_runs(request.report));
    return {.summary = summary, .findings = findings_for(summary)};
  }
  const TrainingData data = open_data(request.data);
  if (request.device.empty()) {
    throw Error(ErrorKind::usage, format("{} is missing", flag_of<&TrainRequest::device>()),
                parameter_of<&TrainRequest::device>().example_hint());
  }
  std::vector<TrainingRequest> requests = plan_runs(request, data);
  const fs::path worker = require_torch_worker(session.prefix);
  const std::string device = requests.front().request.identity.device;
  const engine::Capabilities here = require_run_devices(std::vector{device}, worker);
  request.precision = precision_here(here, device, request.precision);
  requests = plan_runs(request, data);
  if (data.validates_on_training) {
    session.say("the data have one split: accuracy is of the images trained on");
  }
  TrainResult result;
  if (request.try_advice) {
    result.trials = training::summarize_trials(try_advice(request, data, worker, session));
    result.interrupted = session.should_stop();
    result.all_well = !result.trials.trials.front().samples_per_s.empty();
    return result;
  }

  // Each run in a separate process and a separate folder.
  const FolderLock lock(request.folder);
  place_runs(requests, request.folder, request.resume);
  RunList<record::TrainingRun> list = run_trainings(requests, worker, session);
  result.interrupted = list.is_cut_short(requests.size());
  result.failure = std::move(list.failure);
  std::vector<record::TrainingRun>& runs = list.runs;
  result.all_well = std::ranges::all_of(runs, ended_well);
  std::vector<training::NamedTraining> named;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    named.push_back({requests[i].folder.filename().string(), std::move(runs[i])});
  }
  result.summary = training::summarize_training(std::move(named));
  result.findings = findings_for(result.summary);
  return result;
}

}  // namespace rooflab::task
