#include <algorithm>

#include "rooflab/base/field_table.hpp"
#include "rooflab/base/schema.hpp"
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
  static constexpr Field fields[] = {
      field<&TrainingRecipe::epochs>("epochs").at_least(1),
      field<&TrainingRecipe::learning_rate>("learning_rate"),
      field<&TrainingRecipe::momentum>("momentum"),
      field<&TrainingRecipe::weight_decay>("weight_decay"),
      field<&TrainingRecipe::nesterov>("nesterov"),
      field<&TrainingRecipe::label_smoothing>("label_smoothing"),
      field<&TrainingRecipe::schedule>("schedule"),
      field<&TrainingRecipe::rise>("rise_share"),
      field<&TrainingRecipe::warmup_epochs>("warmup_epochs"),
      field<&TrainingRecipe::milestones>("milestones"),
      field<&TrainingRecipe::step_factor>("step_factor"),
      field<&TrainingRecipe::augment>("augment"),
      field<&TrainingRecipe::deterministic>("deterministic"),
  };
  return fields;
}

std::span<const Field> fields_of(For<EpochResult>) {
  static constexpr Field fields[] = {
      field<&EpochResult::epoch>("epoch"),
      field<&EpochResult::train_loss>("train_loss"),
      field<&EpochResult::train_accuracy>("train_accuracy_share"),
      field<&EpochResult::validation_loss>("validation_loss"),
      field<&EpochResult::accuracy>("accuracy_share"),
      field<&EpochResult::learning_rate>("learning_rate"),
      field<&EpochResult::images>("images"),
      field<&EpochResult::train_s>("train_s"),
      field<&EpochResult::validation_s>("validation_s"),
      field<&EpochResult::wait_s>("wait_s"),
      field<&EpochResult::issue_s>("issue_s"),
      field<&EpochResult::elapsed_s>("elapsed_s"),
  };
  return fields;
}

std::span<const Field> fields_of(For<TrainingRun>) {
  static constexpr Field fields[] = {
      field<&TrainingRun::identity>("identity"),
      field<&TrainingRun::recipe>("recipe"),
      field<&TrainingRun::seed>("seed"),
      field<&TrainingRun::target_accuracy>("target_accuracy_share"),
      field<&TrainingRun::status>("status"),
      field<&TrainingRun::message>("message"),
      field<&TrainingRun::environment>("environment"),
      field<&TrainingRun::classes>("classes"),
      field<&TrainingRun::train_images>("train_images"),
      field<&TrainingRun::validation_images>("validation_images"),
      field<&TrainingRun::epochs>("epochs"),
      field<&TrainingRun::reached_s>("time_to_target_s"),
      field<&TrainingRun::setup_s>("setup_s"),
      field<&TrainingRun::resumed>("resumed"),
      field<&TrainingRun::data_workers>("data_workers"),
      field<&TrainingRun::samples>("sample_series"),
      field<&TrainingRun::weights_fingerprint>("weights_fingerprint"),
      field<&TrainingRun::checkpoint>("checkpoint"),
      field<&TrainingRun::broken_data>("broken_data"),
      field<&TrainingRun::warnings>("warnings"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Evaluation>) {
  static constexpr Field fields[] = {
      field<&Evaluation::checkpoint>("checkpoint"),
      field<&Evaluation::model>("model"),
      field<&Evaluation::data>("data"),
      field<&Evaluation::classes>("classes"),
      field<&confusion_of, &read_confusion>("confusion"),
      field<&Evaluation::images>("images"),
      field<&Evaluation::correct>("correct"),
      field<&Evaluation::accuracy>("accuracy_share"),
      field<&loss_of, &read_loss>("loss"),
      field<&Evaluation::broken_data>("broken_data"),
  };
  return fields;
}

FileKind file_kind_of(For<TrainingRun>) {
  return {"training_run", "training run", "`rooflab train -o DIR` writes them: DIR/run-1/run.json"};
}

FileKind file_kind_of(For<Evaluation>) {
  return {"evaluation", "evaluation", "`rooflab evaluate -o FILE.json` writes them"};
}

}  // namespace rooflab::record
