#include "train_options.hpp"

#include <algorithm>
#include <limits>
#include <variant>

#include "flag_value.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/shell_line.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/data/dataset.hpp"
#include "rooflab/graph/text_form.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "run_device.hpp"

namespace rooflab::cli {
namespace {

constexpr std::int64_t usual_batch = 128;
constexpr int usual_data_workers = 4;
constexpr double sample_period_s = 0.5;

/// A number from 0 to `most`.
double fraction(const std::string& text, std::string_view flag, double most) {
  const std::optional<double> value = parse_number(text);
  if (value && *value >= 0.0 && *value <= most) return *value;
  throw Error(ErrorKind::usage,
              format("{} takes a number from 0 to {:g}, not '{}'", flag, most, text),
              format("for example {} {:g}", flag, most / 10.0));
}

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

}  // namespace

void TrainOptions::add_to(Command command) {
  const auto value = [&command](const char* flag, std::string& text, const char* help,
                                const char* type) {
    command.add_option(flag, text, help).type_name(type);
  };
  value("model", model_, "built-in model (rooflab models)", "MODEL");
  value("--data", data_, "cifar10:PATH or folder:PATH, with train/ and val/ or test/", "D");
  value("--device", device_, "where to train: cpu, cuda, cuda:N", "D");
  value("--batch", batch_, "images a step (128)", "N");
  value("--until", until_, "end a run at this validation accuracy: accuracy=0.92", "GOAL");
  value("--epochs", epochs_, "at most; the schedule is over so many (30)", "N");
  value("--runs", runs_, "so many, of seeds one apart (1)", "N");
  value("--seed", seed_, "of the first run (1)", "N");
  value("--optimizer", optimizer_, "sgd, sgd-momentum (the default) or adam", "O");
  value("--lr", learning_rate_, "the schedule's peak (0.1 per 256 images; see --help)", "X");
  value("--momentum", momentum_, "(0.9)", "X");
  value("--weight-decay", weight_decay_, "(5e-4; 1e-4 for images above 64 pixels)", "X");
  command.add_flag("--nesterov", nesterov_, "Nesterov's momentum");
  value("--schedule", schedule_, "one-cycle (the default), cosine, step or constant", "S");
  value("--warmup-epochs", warmup_epochs_, "of the others than one-cycle (5 above batch 256)", "X");
  value("--milestones", milestones_, "of step: epochs at which the rate falls to a tenth", "N,...");
  value("--label-smoothing", label_smoothing_, "of the training loss (0)", "X");
  command.add_flag("--no-augment", no_augment_, "no random crop and flip");
  command.add_flag("--deterministic", deterministic_, "the libraries' deterministic algorithms");
  value("--precision", precision_, precision_help, "P");
  command.add_flag("--channels-last", channels_last_, "images and kernels in channels-last order");
  value("--variant", variant_, "another build of the model, as cifar (see models)", "V");
  value("--classes", classes_, "outputs of the network (those of the data)", "N");
  value("--image-size", image_size_, "input height and width", "PIXELS");
  value("--data-workers", data_workers_, "threads that decode images (4)", "N");
  value("--checkpoint-every", checkpoint_every_, "seconds between checkpoints (60)", "S");
  value("--max-images", max_images_, "of an epoch, to try things out", "N");
  value("--max-time", max_time_, "stop a run after so many seconds (--try: 20)", "S");
}

TrainingData TrainOptions::data() const {
  if (data_.empty()) {
    throw Error(ErrorKind::usage, "--data is missing",
                "for example --data cifar10:PATH or --data folder:PATH");
  }
  if (!data_.starts_with("folder:") && !data_.starts_with("cifar10:")) {
    throw Error(ErrorKind::usage,
                format("--data takes folder:PATH or cifar10:PATH, not '{}'", data_),
                "folder: a folder for each class; cifar10: the binary version's folder, or train/"
                " and test/ with class folders");
  }
  const auto train = data::open_dataset(data_, data::Split::train);
  const auto test = data::open_dataset(data_, data::Split::test);
  if (test->classes() != train->classes()) {
    throw Error(ErrorKind::input,
                format("--data {}: {} classes to train on, {} to validate on, not the same", data_,
                       train->classes().size(), test->classes().size()),
                "both splits hold the same class folders");
  }
  return {.classes = train->classes(),
          .images = train->size(),
          .validates_on_training =
              train->size() == test->size() && train->name_of(0) == test->name_of(0)};
}

graph::Graph TrainOptions::network(std::int64_t batch, std::int64_t classes) const {
  if (zoo::find(model_) == nullptr &&
      (model_.ends_with(".onnx") || model_.find('/') != std::string::npos)) {
    throw Error(ErrorKind::usage,
                format("train takes built-in models, '{}' is a file: an exported network has lost"
                       " what only training does",
                       model_),
                "rooflab models lists them");
  }
  zoo::BuildOptions options;
  options.batch = batch;
  options.variant = variant_;
  options.classes = classes;
  if (!image_size_.empty()) {
    options.image_size = positive(image_size_, "--image-size", "--image-size 32");
  }
  return zoo::build(model_, options);
}

// The learning rate scales with the batch: Goyal et al., "Accurate, Large Minibatch SGD: Training
// ImageNet in 1 Hour", 2017, as does their warm-up of 5 epochs. Networks without batch
// normalisation diverge at 0.1; torchvision trains them at a tenth of it.
record::TrainingRecipe TrainOptions::recipe(const graph::Graph& graph, std::int64_t batch) const {
  record::TrainingRecipe recipe;
  const bool adam = optimizer_ == "adam";
  if (!epochs_.empty()) recipe.epochs = positive(epochs_, "--epochs", "--epochs 30");
  const std::optional<record::LearningRateSchedule> schedule =
      from_name<record::LearningRateSchedule>(schedule_);
  if (!schedule) {
    throw_unknown("--schedule value", schedule_, {"one-cycle", "cosine", "step", "constant"});
  }
  recipe.schedule = *schedule;
  const bool one_cycle = *schedule == record::LearningRateSchedule::one_cycle;
  if (!learning_rate_.empty()) {
    recipe.learning_rate = positive_number(learning_rate_, "--lr", "--lr 0.1");
  } else if (adam) {
    recipe.learning_rate = 0.001;
  } else {
    recipe.learning_rate =
        (has_batch_norm(graph) ? 0.1 : 0.01) * static_cast<double>(batch) / 256.0;
  }
  if (!momentum_.empty()) recipe.momentum = fraction(momentum_, "--momentum", 1.0);
  constexpr std::int64_t small_image = 64;
  recipe.weight_decay = adam ? 0.0 : image_side(graph) <= small_image ? 5e-4 : 1e-4;
  if (!weight_decay_.empty()) recipe.weight_decay = fraction(weight_decay_, "--weight-decay", 1.0);
  recipe.nesterov = nesterov_;
  if (nesterov_ && optimizer_ != "sgd-momentum") {
    throw Error(ErrorKind::usage, format("--nesterov needs momentum, {} has none", optimizer_),
                "--optimizer sgd-momentum");
  }
  if (!label_smoothing_.empty()) {
    recipe.label_smoothing = fraction(label_smoothing_, "--label-smoothing", 1.0);
  }
  if (!warmup_epochs_.empty()) {
    if (one_cycle) {
      throw Error(ErrorKind::usage, "--warmup-epochs: one-cycle rises by itself",
                  "--schedule cosine, step or constant");
    }
    recipe.warmup_epochs =
        fraction(warmup_epochs_, "--warmup-epochs", static_cast<double>(recipe.epochs));
  } else if (!one_cycle && batch > 256) {
    recipe.warmup_epochs = std::min(5.0, static_cast<double>(recipe.epochs));
  }
  const bool steps = *schedule == record::LearningRateSchedule::step;
  if (!milestones_.empty() && !steps) {
    throw Error(ErrorKind::usage, "--milestones belong to --schedule step", "--schedule step");
  }
  if (steps && milestones_.empty()) {
    throw Error(ErrorKind::usage, "--schedule step needs --milestones",
                "for example --milestones 15,25");
  }
  for (const std::string& part : split(milestones_, ',')) {
    if (milestones_.empty()) break;
    recipe.milestones.push_back(positive(part, "--milestones", "--milestones 15,25"));
  }
  recipe.augment = !no_augment_;
  recipe.deterministic = deterministic_;
  return recipe;
}

std::optional<double> TrainOptions::target() const {
  if (until_.empty()) return std::nullopt;
  constexpr std::string_view prefix = "accuracy=";
  const std::optional<double> value =
      until_.starts_with(prefix) ? parse_number(until_.substr(prefix.size())) : std::nullopt;
  if (!value || *value <= 0.0 || *value > 1.0) {
    throw Error(ErrorKind::usage,
                format("--until takes accuracy=X with X above 0 and up to 1, not '{}'", until_),
                "for example --until accuracy=0.92");
  }
  return value;
}

std::vector<engine::TrainingRequest> TrainOptions::requests(const TrainingData& data) const {
  engine::TrainingRequest request;
  record::CaseIdentity& identity = request.request.identity;
  identity.model = model_;
  identity.variant = variant_;
  identity.data = data_;
  identity.phase = Phase::training;
  identity.channels_last = channels_last_;
  identity.batch = batch_.empty() ? usual_batch : positive(batch_, "--batch", "--batch 128");
  if (device_.empty()) {
    throw Error(ErrorKind::usage, "--device is missing", "for example --device cuda");
  }
  identity.device = run_device(device_, "what is here: rooflab devices --detect");
  identity.precision = precision_value(precision_);
  identity.optimizer = name_of(value_named<schedule::Optimizer>("optimizer", optimizer_));

  const auto known = static_cast<std::int64_t>(data.classes.size());
  const std::int64_t classes =
      classes_.empty() ? known : positive(classes_, "--classes", "--classes 10");
  if (classes < known) {
    throw Error(ErrorKind::usage, format("--classes {}: the data have {}", classes, known),
                "leave --classes out");
  }
  if (!max_images_.empty()) {
    request.max_images = positive(max_images_, "--max-images", "--max-images 10000");
  }
  const std::int64_t images =
      request.max_images > 0 ? std::min(request.max_images, data.images) : data.images;
  if (identity.batch > images) {
    throw Error(ErrorKind::usage,
                format("--batch {}: there are only {} images to train on", identity.batch, images),
                format("--batch {} at most", images));
  }
  request.request.graph = network(identity.batch, classes);
  request.request.weights = engine::WeightSource::he;
  identity.graph = graph::to_text(request.request.graph);
  request.recipe = recipe(request.request.graph, identity.batch);
  request.target_accuracy = target();
  if (!checkpoint_every_.empty()) {
    request.checkpoint_period_s =
        positive_number(checkpoint_every_, "--checkpoint-every", "--checkpoint-every 60");
  }
  if (!max_time_.empty()) {
    request.max_time_s = positive_number(max_time_, "--max-time", "--max-time 20");
  }
  engine::MeasureSettings& settings = request.request.settings;
  settings.sample_period_s = sample_period_s;
  settings.data_workers = data_workers_.empty()
                              ? usual_data_workers
                              : positive_int(data_workers_, "--data-workers", "--data-workers 8");

  const std::int64_t runs = runs_.empty() ? 1 : positive(runs_, "--runs", "--runs 5");
  std::optional<std::int64_t> seed = 1;
  if (!seed_.empty()) seed = parse_integer(seed_);
  if (!seed || *seed < 0 || *seed > std::numeric_limits<std::int64_t>::max() - runs) {
    throw Error(ErrorKind::usage,
                format("--seed takes a whole number of 0 or more, not '{}'", seed_),
                "for example --seed 1");
  }
  constexpr std::int64_t most_runs = 10000;
  if (runs > most_runs) {
    throw Error(ErrorKind::usage, format("--runs {}: at most {}", runs, most_runs),
                "for example --runs 5");
  }
  std::vector<engine::TrainingRequest> requests;
  for (std::int64_t i = 0; i < runs; ++i) {
    settings.seed = static_cast<std::uint64_t>(*seed + i);
    identity.command = command_line(settings.seed);
    requests.push_back(request);
  }
  return requests;
}

TrainOptions TrainOptions::with(
    const std::vector<std::pair<std::string, std::string>>& flags) const {
  TrainOptions changed = *this;
  for (const auto& [flag, value] : flags) {
    if (flag == "--batch") changed.batch_ = value;
    if (flag == "--data-workers") changed.data_workers_ = value;
    if (flag == "--precision") changed.precision_ = value;
    if (flag == "--channels-last") changed.channels_last_ = true;
    if (flag == "--max-time") changed.max_time_ = value;
    if (flag == "--runs") changed.runs_ = value;
  }
  return changed;
}

std::string TrainOptions::command_line(std::uint64_t seed) const {
  std::vector<std::string> words = {"rooflab", "train", model_};
  const auto add = [&words](const std::string& flag, const std::string& value) {
    if (value.empty()) return;
    words.push_back(flag);
    words.push_back(value);
  };
  const auto add_switch = [&words](const std::string& flag, bool given) {
    if (given) words.push_back(flag);
  };
  add("--data", data_);
  add("--device", device_);
  add("--batch", batch_);
  add("--until", until_);
  add("--epochs", epochs_);
  add("--seed", std::to_string(seed));
  if (optimizer_ != "sgd-momentum") add("--optimizer", optimizer_);
  add("--lr", learning_rate_);
  add("--momentum", momentum_);
  add("--weight-decay", weight_decay_);
  add_switch("--nesterov", nesterov_);
  if (schedule_ != "one-cycle") add("--schedule", schedule_);
  add("--warmup-epochs", warmup_epochs_);
  add("--milestones", milestones_);
  add("--label-smoothing", label_smoothing_);
  add_switch("--no-augment", no_augment_);
  add_switch("--deterministic", deterministic_);
  if (precision_ != "fp32") add("--precision", precision_);
  add_switch("--channels-last", channels_last_);
  add("--variant", variant_);
  add("--classes", classes_);
  add("--image-size", image_size_);
  add("--data-workers", data_workers_);
  add("--checkpoint-every", checkpoint_every_);
  add("--max-images", max_images_);
  add("--max-time", max_time_);
  add("-o", format("{}-seed-{}", model_, seed));
  return shell_line(words);
}

}  // namespace rooflab::cli
