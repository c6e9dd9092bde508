// The files of training, written and read: one function each way for every part, side by side, so
// that a new field is added in both.

#include <ostream>

#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/record_json.hpp"
#include "rooflab/record/training_run.hpp"

namespace rooflab::record {
namespace {

constexpr int training_schema_version = 1;

// ---- recipe ---------------------------------------------------------------------------------

TrainingRecipe read_recipe(const JsonFields& fields) {
  TrainingRecipe recipe;
  recipe.epochs = fields.integer("epochs");
  if (recipe.epochs < 1) fields.fail("epochs", "must be at least 1");
  recipe.learning_rate = fields.number("learning_rate");
  recipe.momentum = fields.number("momentum");
  recipe.weight_decay = fields.number("weight_decay");
  recipe.nesterov = fields.flag("nesterov");
  recipe.label_smoothing = fields.number("label_smoothing");
  const auto schedule = from_name<LearningRateSchedule>(fields.text("schedule"));
  if (!schedule) fields.fail("schedule", "must be constant, step, cosine or one-cycle");
  recipe.schedule = *schedule;
  recipe.rise = fields.number("rise");
  recipe.warmup_epochs = fields.number("warmup_epochs");
  recipe.milestones = fields.integers("milestones");
  recipe.step_factor = fields.number("step_factor");
  recipe.augment = fields.flag("augment");
  recipe.deterministic = fields.flag("deterministic");
  return recipe;
}

// ---- epochs ---------------------------------------------------------------------------------

Json to_json(const EpochResult& epoch) {
  return {{"epoch", epoch.epoch},
          {"train_loss", epoch.train_loss},
          {"train_accuracy", epoch.train_accuracy},
          {"validation_loss", epoch.validated ? Json(epoch.validation_loss) : Json(nullptr)},
          {"accuracy", epoch.validated ? Json(epoch.accuracy) : Json(nullptr)},
          {"learning_rate", epoch.learning_rate},
          {"images", epoch.images},
          {"train_s", epoch.train_s},
          {"validation_s", epoch.validation_s},
          {"wait_s", epoch.wait_s},
          {"issue_s", epoch.issue_s},
          {"elapsed_s", epoch.elapsed_s}};
}

EpochResult read_epoch(const JsonFields& fields) {
  EpochResult epoch;
  epoch.epoch = fields.integer("epoch");
  epoch.train_loss = fields.number("train_loss");
  epoch.train_accuracy = fields.number("train_accuracy");
  epoch.validated = fields.has("accuracy");
  if (epoch.validated) {
    epoch.validation_loss = fields.number("validation_loss");
    epoch.accuracy = fields.number("accuracy");
  }
  epoch.learning_rate = fields.number("learning_rate");
  epoch.images = fields.integer("images");
  epoch.train_s = fields.number("train_s");
  epoch.validation_s = fields.number("validation_s");
  epoch.wait_s = fields.number("wait_s");
  epoch.issue_s = fields.number("issue_s");
  epoch.elapsed_s = fields.number("elapsed_s");
  return epoch;
}

}  // namespace

Json to_json(const TrainingRecipe& recipe) {
  return {{"epochs", recipe.epochs},
          {"learning_rate", recipe.learning_rate},
          {"momentum", recipe.momentum},
          {"weight_decay", recipe.weight_decay},
          {"nesterov", recipe.nesterov},
          {"label_smoothing", recipe.label_smoothing},
          {"schedule", name_of(recipe.schedule)},
          {"rise", recipe.rise},
          {"warmup_epochs", recipe.warmup_epochs},
          {"milestones", recipe.milestones},
          {"step_factor", recipe.step_factor},
          {"augment", recipe.augment},
          {"deterministic", recipe.deterministic}};
}

TrainingRecipe training_recipe_from_json(const Json& json, const std::string& file) {
  return read_recipe(JsonFields(json, file, "recipe."));
}

Json to_json(const TrainingRun& run) {
  Json json;
  json["schema_version"] = training_schema_version;
  json["kind"] = "training_run";
  json["identity"] = to_json(run.identity);
  json["recipe"] = to_json(run.recipe);
  json["seed"] = run.seed;
  json["target_accuracy"] = json_or_null(run.target_accuracy);
  json["status"] = name_of(run.status);
  json["message"] = run.message;
  json["environment"] = to_json(run.environment);
  json["classes"] = run.classes;
  json["train_images"] = run.train_images;
  json["validation_images"] = run.validation_images;
  json["epochs"] = Json::array();
  for (const EpochResult& epoch : run.epochs) json["epochs"].push_back(to_json(epoch));
  json["reached_s"] = json_or_null(run.reached_s);
  json["setup_s"] = run.setup_s;
  json["resumed"] = run.resumed;
  json["data_workers"] = run.data_workers;
  json["samples"] = to_json(run.samples);
  json["weights_fingerprint"] = run.weights_fingerprint;
  json["checkpoint"] = run.checkpoint;
  json["broken_data"] = run.broken_data;
  json["warnings"] = run.warnings;
  return json;
}

TrainingRun training_run_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  fields.require_kind("training_run", training_schema_version, "training run",
                      "`rooflab train -o DIR` writes them: DIR/run-1/run.json");
  TrainingRun run;
  run.identity = identity_from_json(fields.value("identity"), file);
  run.recipe = training_recipe_from_json(fields.value("recipe"), file);
  run.seed = fields.natural("seed");
  run.target_accuracy = fields.optional_number("target_accuracy");
  const std::optional<Status> status = from_name<Status>(fields.text("status"));
  if (!status) fields.fail("status", "is unknown");
  run.status = *status;
  run.message = fields.text("message");
  run.environment = environment_from_json(fields.value("environment"), file);
  run.classes = fields.texts("classes");
  run.train_images = fields.integer("train_images");
  run.validation_images = fields.integer("validation_images");
  for (const JsonFields& epoch : fields.objects("epochs")) run.epochs.push_back(read_epoch(epoch));
  run.reached_s = fields.optional_number("reached_s");
  run.setup_s = fields.number("setup_s");
  run.resumed = fields.small_integer("resumed");
  run.data_workers = fields.small_integer("data_workers");
  run.samples = samples_from_json(fields.value("samples"), file);
  run.weights_fingerprint = fields.text("weights_fingerprint");
  run.checkpoint = fields.text("checkpoint");
  run.broken_data = fields.texts("broken_data");
  run.warnings = fields.texts("warnings");
  return run;
}

TrainingRun read_training_run(const std::filesystem::path& file) {
  return training_run_from_json(parse_json(read_file(file), file.string()), file.string());
}

void write_training_run(const std::filesystem::path& file, const TrainingRun& run) {
  write_file_atomically(file, [&](std::ostream& stream) {
    // Messages of libraries and names of files may hold any bytes.
    stream << to_json(run).dump(1) << '\n';
  });
}

Json to_json(const Evaluation& evaluation) {
  return {{"schema_version", training_schema_version},
          {"kind", "evaluation"},
          {"checkpoint", evaluation.checkpoint},
          {"model", evaluation.model},
          {"data", evaluation.data},
          {"classes", evaluation.classes},
          {"confusion", evaluation.confusion},
          {"loss", evaluation.loss},
          {"broken_data", evaluation.broken_data}};
}

Evaluation evaluation_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  fields.require_kind("evaluation", training_schema_version, "evaluation",
                      "`rooflab evaluate -o FILE.json` writes them");
  Evaluation evaluation;
  evaluation.checkpoint = fields.text("checkpoint");
  evaluation.model = fields.text("model");
  evaluation.data = fields.text("data");
  evaluation.classes = fields.texts("classes");
  constexpr std::string_view square = "must be a square of counts, one row a class";
  const Json& rows = fields.value("confusion");
  const std::size_t classes = evaluation.classes.size();
  if (!rows.is_array() || rows.size() != classes) fields.fail("confusion", square);
  for (const Json& row : rows) {
    if (!row.is_array() || row.size() != classes) fields.fail("confusion", square);
    std::vector<std::int64_t>& counts = evaluation.confusion.emplace_back();
    for (const Json& count : row) {
      if (!count.is_number_integer() || count.get<std::int64_t>() < 0)
        fields.fail("confusion", square);
      counts.push_back(count.get<std::int64_t>());
    }
  }
  evaluation.loss = fields.number("loss");
  evaluation.broken_data = fields.texts("broken_data");
  return evaluation;
}

}  // namespace rooflab::record
