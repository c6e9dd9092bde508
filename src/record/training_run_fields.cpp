#include <algorithm>

#include "describe/field_table.hpp"
#include "describe/schema.hpp"
#include "rooflab/record/training_run.hpp"

namespace rooflab::record {
namespace {

/// Nothing is the mean of no images.
std::optional<double> loss_of(const Evaluation& evaluation) {
  return evaluation.images() > 0 ? std::optional(evaluation.loss) : std::nullopt;
}
void read_loss(Evaluation& evaluation, const JsonValue& from) { evaluation.loss = from.number(); }

const std::vector<std::vector<std::int64_t>>& confusion_of(const Evaluation& evaluation) {
  return evaluation.confusion;
}
void read_confusion(Evaluation& evaluation, const JsonValue& from) {
  codec::decode(evaluation.confusion, from);
  const std::size_t classes = evaluation.classes.size();
  bool square = evaluation.confusion.size() == classes;
  for (const std::vector<std::int64_t>& row : evaluation.confusion) {
    square =
        square && row.size() == classes && std::ranges::all_of(row, [](auto n) { return n >= 0; });
  }
  if (!square) from.fail("must be a square of counts, one row a class");
}

}  // namespace

std::span<const Field> fields_of(For<TrainingRecipe>) {
  static constexpr auto fields = field_table(
      field<&TrainingRecipe::epochs>().at_least(1),
      field<&TrainingRecipe::learning_rate>().says("Its peak."),
      members<&TrainingRecipe::momentum, &TrainingRecipe::weight_decay, &TrainingRecipe::nesterov,
              &TrainingRecipe::label_smoothing, &TrainingRecipe::schedule>,
      field<&TrainingRecipe::rise>("rise_share"),
      members<&TrainingRecipe::warmup_epochs, &TrainingRecipe::milestones,
              &TrainingRecipe::step_factor, &TrainingRecipe::augment,
              &TrainingRecipe::deterministic>);
  return fields;
}

std::span<const Field> fields_of(For<EpochResult>) {
  static constexpr auto fields = field_table(
      members<&EpochResult::epoch, &EpochResult::train_loss>,
      field<&EpochResult::train_accuracy>("train_accuracy_share"),
      field<&EpochResult::validation_loss>(), field<&EpochResult::accuracy>("accuracy_share"),
      field<&EpochResult::learning_rate>().says("That of the last step."),
      members<&EpochResult::images, &EpochResult::train_s, &EpochResult::validation_s>,
      field<&EpochResult::wait_s>().says("For the data workers."),
      field<&EpochResult::issue_s>().says("All of the steps."), members<&EpochResult::elapsed_s>);
  return fields;
}

std::span<const Field> fields_of(For<TrainingRun>) {
  static constexpr auto fields =
      field_table(members<&TrainingRun::identity, &TrainingRun::recipe, &TrainingRun::seed>,
                  field<&TrainingRun::target_accuracy>("target_accuracy_share"),
                  members<&TrainingRun::status, &TrainingRun::message, &TrainingRun::environment,
                          &TrainingRun::classes, &TrainingRun::train_images,
                          &TrainingRun::validation_images, &TrainingRun::epochs>,
                  field<&TrainingRun::reached_s>("time_to_target_s"),
                  members<&TrainingRun::setup_s, &TrainingRun::resumed, &TrainingRun::data_workers>,
                  field<&TrainingRun::samples>("sample_series"),
                  members<&TrainingRun::weights_fingerprint, &TrainingRun::checkpoint,
                          &TrainingRun::broken_data, &TrainingRun::warnings>);
  return fields;
}

std::span<const Field> fields_of(For<Evaluation>) {
  static constexpr auto fields = field_table(
      members<&Evaluation::checkpoint, &Evaluation::model, &Evaluation::data, &Evaluation::classes>,
      field<&confusion_of, &read_confusion>("confusion"), field<&Evaluation::images>(),
      field<&Evaluation::correct>("correct_images"), field<&Evaluation::accuracy>("accuracy_share"),
      field<&loss_of, &read_loss>("loss"), field<&Evaluation::broken_data>());
  return fields;
}

FileKind file_kind_of(For<TrainingRun>) {
  return {"training_run", "training run", "`rooflab train -o DIR` writes them: DIR/run-1/run.json"};
}

FileKind file_kind_of(For<Evaluation>) {
  return {"evaluation", "evaluation", "`rooflab evaluate -o FILE.json` writes them"};
}

}  // namespace rooflab::record
