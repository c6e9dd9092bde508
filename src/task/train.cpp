#include "rooflab/task/train.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "data/batch_loader.hpp"
#include "data/dataset.hpp"
#include "describe/parameter_list.hpp"
#include "finding_commands.hpp"
#include "recorded_network.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"
#include "rooflab/training/training_statistics.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "run_list.hpp"
#include "system/folder_lock.hpp"
#include "system/temporary_folder.hpp"
#include "training_runs.hpp"

namespace rooflab::task {
namespace {

namespace fs = std::filesystem;
using engine::TrainingRequest;
using training::TrainingAdvice;
using training::TrainingTrial;

constexpr double sample_period_s = 0.5;

/// What the data of a training is, as far as it must be known before.
struct TrainingData {
  std::vector<std::string> classes;
  std::int64_t images = 0;             ///< to train on
  bool validates_on_training = false;  ///< the data have one split only
};

bool has_batch_norm(const graph::Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const graph::Node& node) {
    return std::holds_alternative<graph::BatchNorm>(node.op);
  });
}

/// Pixels of a side.
std::int64_t image_side(const graph::Graph& graph) {
  const graph::Shape& shape = graph.type(graph.inputs.front()).shape;
  return shape.from_end(1);
}

/// Opens the data. Throws Error (usage, input).
TrainingData open_data(const std::string& data) {
  const std::string flag = flag_of<&TrainRequest::data>();
  if (data.empty()) {
    throw Error(ErrorKind::usage, format("{} is missing", flag),
                format("for example {} cifar10:PATH or {} folder:PATH", flag, flag));
  }
  if (!data.starts_with("folder:") && !data.starts_with("cifar10:")) {
    throw Error(ErrorKind::usage,
                format("{} takes folder:PATH or cifar10:PATH, not '{}'", flag, data),
                "folder: a folder for each class; cifar10: the binary version's folder, or train/"
                " and test/ with class folders");
  }
  const auto train = data::open_dataset(data, data::Split::train);
  const auto test = data::open_dataset(data, data::Split::test);
  if (test->classes() != train->classes()) {
    throw Error(ErrorKind::input,
                format("{} {}: {} classes to train on, {} to validate on, not the same", flag, data,
                       train->classes().size(), test->classes().size()),
                "both splits hold the same class folders");
  }
  return {.classes = train->classes(),
          .images = train->size(),
          .validates_on_training =
              train->size() == test->size() && train->name_of(0) == test->name_of(0)};
}

graph::Graph network_of(const TrainRequest& request, std::int64_t classes) {
  const std::string& model = request.model;
  if (is_recorded(model)) {
    throw Error(ErrorKind::usage, format("train takes built-in models, '{}' is a recording", model),
                "rooflab models lists them");
  }
  if (zoo::find(model) == nullptr &&
      (model.ends_with(".onnx") || model.find('/') != std::string::npos)) {
    throw Error(ErrorKind::usage,
                format("train takes built-in models, '{}' is a file: an exported network has lost"
                       " what only training does",
                       model),
                "rooflab models lists them");
  }
  zoo::BuildOptions options;
  options.batch = request.batch;
  options.variant = request.variant;
  options.classes = classes;
  if (request.image_size) options.image_size = *request.image_size;
  return zoo::build(model, options);
}

/// Throws Error (usage) for settings that do not go together.
void check_recipe(const TrainRequest& request) {
  using record::LearningRateSchedule;
  const std::string schedule = flag_of<&TrainRequest::schedule>();
  const std::string milestones = flag_of<&TrainRequest::milestones>();
  if (request.optimizer == schedule::Optimizer::none) {
    throw Error(ErrorKind::usage,
                format("{} none changes no weights: nothing would be learned",
                       flag_of<&TrainRequest::optimizer>()),
                "rooflab measure --phase training --optimizer none times such steps");
  }
  if (request.nesterov && request.optimizer != schedule::Optimizer::sgd_momentum) {
    throw Error(ErrorKind::usage,
                format("{} needs momentum, {} has none", flag_of<&TrainRequest::nesterov>(),
                       name_of(request.optimizer)),
                format("{} sgd-momentum", flag_of<&TrainRequest::optimizer>()));
  }
  if (request.warmup_epochs && request.schedule == LearningRateSchedule::one_cycle) {
    throw Error(ErrorKind::usage,
                format("{}: one-cycle rises by itself", flag_of<&TrainRequest::warmup_epochs>()),
                format("{} cosine, step or constant", schedule));
  }
  if (request.warmup_epochs.value_or(0.0) > static_cast<double>(request.epochs)) {
    parameter_of<&TrainRequest::warmup_epochs>().refuse(
        format("a number from 0 to {}", request.epochs), format("{}", *request.warmup_epochs));
  }
  const bool steps = request.schedule == LearningRateSchedule::step;
  if (!request.milestones.empty() && !steps) {
    throw Error(ErrorKind::usage, format("{} belong to {} step", milestones, schedule),
                format("{} step", schedule));
  }
  if (steps && request.milestones.empty()) {
    throw Error(ErrorKind::usage, format("{} step needs {}", schedule, milestones),
                parameter_of<&TrainRequest::milestones>().example_hint());
  }
}

// The learning rate scales with the batch: Goyal et al., "Accurate, Large Minibatch SGD: Training
// ImageNet in 1 Hour", 2017, as does their warm-up of 5 epochs. Networks without batch
// normalisation diverge at 0.1; torchvision trains them at a tenth of it.
record::TrainingRecipe recipe_of(const TrainRequest& request, const graph::Graph& graph) {
  constexpr double reference_batch = 256.0;
  constexpr double usual_warmup_epochs = 5.0;
  constexpr std::int64_t small_image = 64;
  record::TrainingRecipe recipe;
  const bool adam = request.optimizer == schedule::Optimizer::adam;
  const auto batch = static_cast<double>(request.batch);
  recipe.epochs = request.epochs;
  recipe.schedule = request.schedule;
  recipe.learning_rate = request.lr.value_or(
      adam ? 0.001 : (has_batch_norm(graph) ? 0.1 : 0.01) * batch / reference_batch);
  recipe.momentum = request.momentum;
  recipe.weight_decay = request.weight_decay.value_or(adam                               ? 0.0
                                                      : image_side(graph) <= small_image ? 5e-4
                                                                                         : 1e-4);
  recipe.nesterov = request.nesterov;
  recipe.label_smoothing = request.label_smoothing;
  const bool warms_up =
      request.schedule != record::LearningRateSchedule::one_cycle && batch > reference_batch;
  if (request.warmup_epochs) {
    recipe.warmup_epochs = *request.warmup_epochs;
  } else if (warms_up) {
    recipe.warmup_epochs = std::min(usual_warmup_epochs, static_cast<double>(recipe.epochs));
  }
  recipe.milestones = request.milestones;
  recipe.augment = !request.no_augment;
  recipe.deterministic = request.deterministic;
  return recipe;
}

/// The command line of one run.
std::string command_of(TrainRequest request, std::int64_t seed) {
  request.seed = seed;
  request.runs = 1;
  request.resume = request.try_advice = false;
  return format("{} -o {}-seed-{}", command_line_of(request), shell_line({request.model}), seed);
}

/// One for each run, by seed, without a folder. Throws Error (usage, input) for anything that is
/// wrong, before anything runs.
std::vector<TrainingRequest> plan(const TrainRequest& asked, const TrainingData& data) {
  check_recipe(asked);
  const std::string batch = flag_of<&TrainRequest::batch>();
  TrainingRequest request;
  record::CaseIdentity& identity = request.request.identity;
  identity.model = asked.model;
  identity.variant = asked.variant;
  identity.data = asked.data;
  identity.phase = Phase::training;
  identity.channels_last = asked.channels_last;
  identity.batch = asked.batch;
  identity.device = run_device(asked.device, "what is here: rooflab devices --detect");
  identity.precision = asked.precision;
  identity.optimizer = name_of(asked.optimizer);

  const auto known = static_cast<std::int64_t>(data.classes.size());
  if (asked.classes.value_or(known) < known) {
    const std::string classes = flag_of<&TrainRequest::classes>();
    throw Error(ErrorKind::usage, format("{} {}: the data have {}", classes, *asked.classes, known),
                format("leave {} out", classes));
  }
  request.max_images = asked.max_images.value_or(0);
  const std::int64_t images = std::min(asked.max_images.value_or(data.images), data.images);
  if (asked.batch > images) {
    throw Error(ErrorKind::usage,
                format("{} {}: there are only {} images to train on", batch, asked.batch, images),
                format("{} {} at most", batch, images));
  }
  request.request.graph = network_of(asked, asked.classes.value_or(known));
  request.request.weights = engine::WeightSource::he;
  identity.graph = graph::to_text(request.request.graph);
  request.recipe = recipe_of(asked, request.request.graph);
  if (asked.until) request.target_accuracy = asked.until->accuracy;
  request.checkpoint_period_s = asked.checkpoint_every;
  request.max_time_s = asked.max_time.value_or(0.0);
  engine::MeasureSettings& settings = request.request.settings;
  settings.sample_period_s = sample_period_s;
  settings.data_workers = asked.data_workers;
  if (asked.seed > std::numeric_limits<std::int64_t>::max() - asked.runs) {
    parameter_of<&TrainRequest::seed>().refuse("a whole number of 0 or more",
                                               std::to_string(asked.seed));
  }
  std::vector<TrainingRequest> requests;
  for (std::int64_t i = 0; i < asked.runs; ++i) {
    settings.seed = static_cast<std::uint64_t>(asked.seed + i);
    identity.command = command_of(asked, asked.seed + i);
    requests.push_back(request);
  }
  return requests;
}

/// The request with the values that an advice gives.
TrainRequest advised(TrainRequest request, const TrainingAdvice& advice) {
  for (const RequestChange& change : advice.changes) {
    const std::vector<std::string> words(change.value.empty() ? 0 : 1, change.value);
    parameters_of(For<TrainRequest>{}).find(name_of(change.member))->read(&request, words);
  }
  return request;
}

/// The command line of a whole run.
std::string whole_run(TrainRequest request) {
  request.max_time.reset();
  return command_of(request, request.seed);
}

/// Short runs in folders that vanish.
std::vector<record::TrainingRun> short_runs(const TrainRequest& asked, const TrainingData& data,
                                            std::size_t count, const fs::path& worker,
                                            const Session& session) {
  const TemporaryFolder folder("try");
  TrainingRequest request = plan(asked, data).front();
  request.target_accuracy.reset();
  request.request.settings.sample_period_s = 0.1;
  std::vector<TrainingRequest> requests;
  for (std::size_t i = 0; i < count; ++i) {
    request.folder = folder.file(format("run-{}", i + 1));
    requests.push_back(request);
  }
  RunList<record::TrainingRun> list = run_trainings(requests, worker, session);
  if (list.failure) throw *list.failure;
  return std::move(list.runs);
}

/// Trains for some seconds as given, then with each piece of advice added one after another; kept
/// is what makes it faster by more than its spread. At most a handful.
std::vector<TrainingTrial> try_advice(TrainRequest request, const TrainingData& data,
                                      const fs::path& worker, const Session& session) {
  constexpr std::size_t runs_each = 2;
  constexpr std::size_t most_trials = 6;  // with the one as given
  constexpr double trial_s = 20.0;
  request.runs = 1;
  request.max_time = request.max_time.value_or(trial_s);

  // The first run reads the images from the disk, the later ones from memory: it is left out.
  std::vector<record::TrainingRun> runs = short_runs(request, data, runs_each + 1, worker, session);
  if (runs.size() > 1) runs.erase(runs.begin());
  std::vector<TrainingTrial> trials = {training::trial_of(runs)};
  trials.front().command = whole_run(request);
  if (runs.empty() || trials.front().samples_per_s.empty()) return trials;

  // Advice is asked for anew after each piece that helped: amp brings up channels-last.
  std::size_t best = 0;
  std::vector<TrainingAdvice> advice = training::advice_of(runs.back());
  std::vector<std::vector<RequestChange>> tried;
  while (trials.size() < most_trials && !session.should_stop()) {
    const auto next = std::ranges::find_if(advice, [&tried](const TrainingAdvice& each) {
      return !each.changes.empty() && std::ranges::find(tried, each.changes) == tried.end();
    });
    if (next == advice.end()) break;
    tried.push_back(next->changes);
    const TrainRequest changed = advised(request, *next);
    runs = short_runs(changed, data, runs_each, worker, session);
    TrainingTrial trial = training::trial_of(runs);
    trial.command = whole_run(changed);
    trial.advice = *next;
    trial.kept = training::is_faster(trial, trials[best]);
    trials.push_back(std::move(trial));
    if (!trials.back().kept) continue;
    best = trials.size() - 1;
    request = changed;
    advice = training::advice_of(runs.back());
  }
  return trials;
}

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
      aside(
          {parameter<&TrainRequest::lr>(
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
           parameter<&TrainRequest::schedule>(
               "S", "schedule of the learning rate",
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
           parameter<&TrainRequest::deterministic>("use the libraries' deterministic algorithms")}),
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
  std::vector<TrainingRequest> requests = plan(request, data);
  const fs::path worker = require_torch_worker();
  const std::string device = requests.front().request.identity.device;
  const engine::Capabilities here = require_run_devices(std::vector{device}, worker);
  request.precision = precision_here(here, device, request.precision);
  requests = plan(request, data);
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
  // Each run in a process and a folder of its own.
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
