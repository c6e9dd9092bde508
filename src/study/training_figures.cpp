// Training to a goal, and what trained models make of other images: train, evaluate. The first
// group of each: runs of one configuration on one device, or models with the same classes.

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "json_part.hpp"
#include "mode_figures.hpp"

namespace rooflab::study {
namespace {

/// The mean over runs, with its 95 % interval.
void add_mean(FigureList& figures, std::string_view quantity, const Json& over_runs) {
  const Json& interval = part(over_runs, "mean_interval");
  figures.add(quantity, number_of(over_runs, "mean"), number_of(interval, "low"),
              number_of(interval, "high"));
}

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// What is not in a group's own statistics: means over those of its runs that ended well.
void add_run_means(FigureList& figures, const Json& result, const Json& group) {
  const Json& names = list_of(group, "runs");
  std::vector<double> epochs;
  std::vector<double> setups;
  for (const Json& run : list_of(result, "runs")) {
    const bool in_group = std::find(names.begin(), names.end(), part(run, "name")) != names.end();
    if (!in_group || string_of(run, "status") != "ok") continue;
    epochs.push_back(static_cast<double>(list_of(run, "epochs").size()));
    if (const std::optional<double> setup = number_of(run, "setup_s")) setups.push_back(*setup);
  }
  figures.add("epochs", mean(epochs));
  figures.add("setup", mean(setups));
}

}  // namespace

void add_train(FigureList& figures, const Json& result) {
  const Json& group = first_of(result, "groups");
  if (number_of(group, "complete").value_or(0.0) == 0.0) return;
  const Json& accuracy = part(group, "final_accuracy");
  const Json& to_target = part(group, "time_to_target_s");
  const Json& spread = part(to_target, "variation_interval");
  add_mean(figures, "accuracy", accuracy);
  figures.add("accuracy_deviation", accuracy, "deviation");
  add_mean(figures, "time_to_accuracy", to_target);
  figures.add("variation", number_of(to_target, "variation"), number_of(spread, "low"),
              number_of(spread, "high"));
  add_mean(figures, "samples_per_s", part(group, "images_per_s"));
  add_run_means(figures, result, group);
}

void add_evaluate(FigureList& figures, const Json& result) {
  const Json& accuracy = part(first_of(result, "groups"), "accuracy");
  figures.add("accuracy", accuracy, "mean");
  figures.add("accuracy_deviation", accuracy, "deviation");
}

}  // namespace rooflab::study
