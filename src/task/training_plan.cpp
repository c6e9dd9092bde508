#include "training_plan.hpp"

#include <algorithm>
#include <limits>
#include <variant>

#include "base/format.hpp"
#include "data/dataset.hpp"
#include "describe/parameter_list.hpp"
#include "recorded_network.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::task {
namespace {

using engine::TrainingRequest;

constexpr double sample_period_s = 0.5;

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

graph::Graph network_of(const TrainRequest& request, std::int64_t classes) {
  const std::string& model = request.model;
  if (is_recorded(model)) {
    throw Error(ErrorKind::usage, format("train takes built-in models, '{}' is a recording", model),
                "rooflab models lists them");
  }
  if (zoo::find_model(model) == nullptr &&
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

}  // namespace

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

std::string command_of(TrainRequest request, std::int64_t seed) {
  request.seed = seed;
  request.runs = 1;
  request.resume = request.try_advice = false;
  return format("{} -o {}-seed-{}", command_line_of(request), shell_line({request.model}), seed);
}

std::vector<TrainingRequest> plan_runs(const TrainRequest& asked, const TrainingData& data) {
  check_recipe(asked);
  const std::string batch = flag_of<&TrainRequest::batch>();
  TrainingRequest request;
  record::CaseIdentity& identity = request.request.identity;
  identity.model = asked.model;
  identity.worker = engine::torch_worker;
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

}  // namespace rooflab::task
