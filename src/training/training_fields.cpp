#include "describe/field_table.hpp"
#include "describe/schema.hpp"
#include "rooflab/training/training_advice.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::training {
namespace {

template <auto interval>
std::optional<double> low(const RunFigure& figure) {
  return figure.*interval ? std::optional((figure.*interval)->low) : std::nullopt;
}
template <auto interval>
std::optional<double> high(const RunFigure& figure) {
  return figure.*interval ? (figure.*interval)->high : std::nullopt;
}
template <auto member>
auto statistic(const RunFigure& figure) {
  return figure.statistics.*member;
}

/// A function of the run among the fields of what names it.
template <auto function>
auto of_run(const NamedTraining& each) {
  return function(each.run);
}
template <auto member>
std::optional<double> sampled(const NamedTraining& each) {
  return record::mean_of(device_samples(each.run).*member);
}
std::vector<record::SampleSeries> thinned_samples(const NamedTraining& each) {
  constexpr std::size_t most_samples = 600;  // of a series: ten minutes, one a second
  return record::thinned(each.run.samples, most_samples);
}
std::size_t epochs_trained(const NamedTraining& each) { return each.run.epochs.size(); }
std::optional<double> elapsed_s(const NamedTraining& each) {
  const std::vector<record::EpochResult>& epochs = each.run.epochs;
  return epochs.empty() ? std::nullopt : std::optional(epochs.back().elapsed_s);
}

TrainingConfiguration shown_configuration(const TrainingGroup& group) {
  TrainingConfiguration shown = group.configuration;
  shown.erase(FigureKey("graph").key());
  return shown;
}
std::size_t run_count(const TrainingGroup& group) { return group.runs.size(); }
std::optional<std::size_t> reached(const TrainingGroup& group) {
  return group.target ? std::optional(group.reached) : std::nullopt;
}

template <class Summary>
const auto& groups_of(const Summary& summary) {
  return summary.groups;
}
const auto& comparisons_of(const TrainingSummary& summary) { return summary.comparisons; }
std::string_view figure_of(const TrainingComparison& comparison) { return comparison.figure->key; }

}  // namespace

std::span<const Field> fields_of(For<RunFigure>) {
  static constexpr auto fields = field_table(
      field<&statistic<&Statistics::count>>("count"),
      field<&RunFigure::values>().says("In the order of the runs or models."),
      field<&statistic<&Statistics::mean>>("mean"),
      field<&low<&RunFigure::mean_interval>>("mean_low"),
      field<&high<&RunFigure::mean_interval>>("mean_high"),
      field<&statistic<&Statistics::median>>("median"),
      field<&statistic<&Statistics::min>>("least"), field<&statistic<&Statistics::max>>("most"),
      field<&RunFigure::deviation>(), field<&RunFigure::variation>("variation_share"),
      field<&low<&RunFigure::variation_interval>>("variation_low_share"),
      field<&high<&RunFigure::variation_interval>>("variation_high_share"));
  return fields;
}

std::span<const Field> fields_of(For<EpochShares>) {
  static constexpr auto fields = field_table(field<&EpochShares::wait>("wait_share"),
                                             field<&EpochShares::issue>("issue_share"),
                                             field<&EpochShares::validation>("validation_share"));
  return fields;
}

std::span<const Field> fields_of(For<AccuracyMilestone>) {
  static constexpr auto fields = field_table(
      field<&AccuracyMilestone::accuracy>("accuracy_share"), field<&AccuracyMilestone::reached>(),
      field<&AccuracyMilestone::time_s>("time_to_accuracy_s"),
      field<&AccuracyMilestone::epochs>("epochs_to_accuracy"));
  return fields;
}

std::span<const Field> fields_of(For<TrainingAdvice>) {
  static constexpr auto fields =
      field_table(field<&TrainingAdvice::limit>("limiter"),
                  members<&TrainingAdvice::sentence, &TrainingAdvice::change>);
  return fields;
}

std::span<const Field> fields_of(For<TrainingGroup>) {
  static constexpr auto fields = field_table(
      field<&TrainingGroup::number>("group"), field<&TrainingGroup::device>("device_name"),
      field<&shown_configuration>("configuration"),
      field<&TrainingGroup::target>("target_accuracy_share"),
      field<&TrainingGroup::names>("run_names"),
      members<&run_count, &TrainingGroup::complete, &reached>,
      field<&TrainingGroup::time_to_target_s>().says("Over the runs."),
      field<&TrainingGroup::epochs_to_target>(),
      field<&TrainingGroup::final_accuracy>("final_accuracy_share").says("Over the complete runs."),
      field<&TrainingGroup::samples_per_s>(), field<&TrainingGroup::shares>("epoch_shares"),
      field<&TrainingGroup::milestones>("accuracy_milestones"), field<&TrainingGroup::notes>(),
      field<&TrainingGroup::advice>("training_advice"));
  return fields;
}

std::span<const Field> fields_of(For<TrainingComparison>) {
  static constexpr auto fields = field_table(
      field<&figure_of>("compared_figure"), field<&TrainingComparison::a>("first_device"),
      field<&TrainingComparison::b>("second_device"),
      field<&TrainingComparison::median_a>("first_median"),
      field<&TrainingComparison::median_b>("second_median"),
      members<&TrainingComparison::ratio, &TrainingComparison::p_value>,
      field<&TrainingComparison::least_p>("least_p_value"),
      field<&TrainingComparison::verdict>("judgement"), field<&TrainingComparison::sentence>(),
      field<&TrainingComparison::differences>().says("The device is left out."));
  return fields;
}

std::span<const Field> fields_of(For<NamedTraining>) {
  static constexpr Field fields[] = {
      field<&NamedTraining::name>("run_name"),
      field<&NamedTraining::group>("group").or_default(),
      field<&of_run<&device_name>>("device_name"),
      field<&epochs_trained>("epochs_trained"),
      field<&of_run<&final_accuracy>>("final_accuracy_share"),
      field<&of_run<&best_accuracy>>("best_accuracy_share"),
      field<&elapsed_s>("elapsed_s"),
      field<&of_run<&samples_per_s>>("samples_per_s"),
      field<&sampled<&record::SampleSummary::core_utilization>>("core_utilization_share"),
      field<&sampled<&record::SampleSummary::memory_utilization>>("memory_utilization_share"),
      field<&of_run<&outcome_of>>("outcome"),
      part<&NamedTraining::run>(),
      field<&thinned_samples>("sample_series"),  // in place of the run's own
  };
  return fields;
}

std::span<const Field> fields_of(For<TrainingSummary>) {
  static constexpr auto fields =
      field_table(field<&TrainingSummary::runs>(), field<&groups_of<TrainingSummary>>("groups"),
                  field<&comparisons_of>("comparisons"));
  return fields;
}

std::span<const Field> fields_of(For<TrainingTrial>) {
  static constexpr auto fields = field_table(
      field<&TrainingTrial::change>(), field<&TrainingTrial::advice>("training_advice"),
      field<&TrainingTrial::command>("command_line"), field<&TrainingTrial::mean>("samples_per_s"),
      field<&TrainingTrial::spread>("spread_samples_per_s"),
      field<&TrainingTrial::samples_per_s>("runs_samples_per_s"),
      field<&TrainingTrial::gain_share>(),
      field<&TrainingTrial::core_utilization>("core_utilization_share"),
      field<&TrainingTrial::memory_utilization>("memory_utilization_share"),
      field<&TrainingTrial::wait_share>(), field<&TrainingTrial::failure>("message"),
      field<&TrainingTrial::verdict>("judgement"));
  return fields;
}

std::span<const Field> fields_of(For<TrialSummary>) {
  return members<&TrialSummary::trials, &TrialSummary::conclusion>;
}

std::span<const Field> fields_of(For<ClassAccuracy>) {
  static constexpr auto fields =
      field_table(field<&ClassAccuracy::name>("class"), field<&ClassAccuracy::images>(),
                  field<&ClassAccuracy::correct>("correct_images"),
                  field<&ClassAccuracy::accuracy>("accuracy_share"));
  return fields;
}

std::span<const Field> fields_of(For<Confusion>) {
  static constexpr auto fields =
      field_table(field<&Confusion::label>(), field<&Confusion::prediction>("predicted_class"),
                  field<&Confusion::images>());
  return fields;
}

std::span<const Field> fields_of(For<EvaluationGroup>) {
  static constexpr auto fields =
      field_table(field<&EvaluationGroup::models>("model_places"),
                  members<&EvaluationGroup::data, &EvaluationGroup::classes>,
                  field<&EvaluationGroup::accuracy>("models_accuracy_share"),
                  field<&EvaluationGroup::confusion>());
  return fields;
}

std::span<const Field> fields_of(For<EvaluationSummary>) {
  static constexpr auto fields = field_table(field<&EvaluationSummary::evaluations>(),
                                             field<&groups_of<EvaluationSummary>>("groups"));
  return fields;
}

FileKind file_kind_of(For<TrainingSummary>) {
  return {"train", "result of training", "`rooflab train -o FILE.json` writes them", "command"};
}

FileKind file_kind_of(For<TrialSummary>) {
  return {"train --try", "result of trials", "`rooflab train --try` writes them", "command"};
}

FileKind file_kind_of(For<EvaluationSummary>) {
  return {"evaluate", "evaluation", "`rooflab evaluate -o FILE.json` writes them", "command"};
}

}  // namespace rooflab::training
