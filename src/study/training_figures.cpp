// Training to a goal, and what trained models make of other images: train, evaluate. The first
// group of each: runs of one configuration on one device, or models with the same classes.

#include <optional>
#include <string_view>
#include <vector>

#include "describe/schema.hpp"
#include "mode_figures.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::study {
namespace {

using training::RunFigure;

/// nullopt: the file is not such a result, or comes from a newer Rooflab.
template <class Summary>
std::optional<Summary> read(const Json& result) {
  try {
    return from_file_json<Summary>(result, "");
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The mean over runs, with its 95 % interval.
void add_mean(FigureList& figures, std::string_view quantity,
              const std::optional<RunFigure>& over_runs) {
  if (!over_runs) return;
  const double mean = over_runs->statistics.mean;
  const auto& interval = over_runs->mean_interval;
  if (interval) return figures.add(quantity, mean, interval->low, interval->high);
  figures.add(quantity, mean);
}

}  // namespace

void add_train(FigureList& figures, const Json& result) {
  std::optional<training::TrainingSummary> summary = read<training::TrainingSummary>(result);
  if (!summary) return;
  *summary = training::summarize_training(std::move(summary->runs));
  if (summary->groups.empty() || summary->groups.front().complete == 0) return;
  const training::TrainingGroup& group = summary->groups.front();
  add_mean(figures, "accuracy", group.final_accuracy);
  figures.add("accuracy_deviation", group.final_accuracy->deviation());
  add_mean(figures, "time_to_accuracy", group.time_to_target_s);
  if (const auto& time = group.time_to_target_s; time && time->variation_interval) {
    figures.add("variation", time->variation(), time->variation_interval->low,
                time->variation_interval->high);
  }
  add_mean(figures, "samples_per_s", group.samples_per_s);
  // Of the runs that ended well.
  std::vector<double> epochs;
  std::vector<double> setups;
  for (const std::size_t place : group.runs) {
    const record::TrainingRun& run = summary->runs[place].run;
    if (run.status != record::Status::ok) continue;
    epochs.push_back(static_cast<double>(run.epochs.size()));
    setups.push_back(run.setup_s);
  }
  figures.add("epochs", statistics_of(epochs).mean);
  figures.add("setup", statistics_of(setups).mean);
}

void add_evaluate(FigureList& figures, const Json& result) {
  std::optional<training::EvaluationSummary> summary = read<training::EvaluationSummary>(result);
  if (!summary) return;
  *summary = training::summarize_evaluations(std::move(summary->evaluations));
  if (summary->groups.empty() || !summary->groups.front().accuracy) return;
  const RunFigure& accuracy = *summary->groups.front().accuracy;
  figures.add("accuracy", accuracy.statistics.mean);
  figures.add("accuracy_deviation", accuracy.deviation());
}

}  // namespace rooflab::study
