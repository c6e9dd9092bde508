// A confusion table can be summed over models only where label and prediction mean the same in all
// of them: models belong together when they know the same classes in the same order. The mean over
// models is over their accuracies, which on the same images is the accuracy over all predictions.

#include <algorithm>
#include <numeric>

#include "rooflab/base/statistics.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::training {

std::optional<double> ClassAccuracy::accuracy() const {
  return quotient(static_cast<double>(correct), static_cast<double>(images));
}

std::vector<ClassAccuracy> EvaluationGroup::by_class() const {
  std::vector<ClassAccuracy> all;
  for (std::size_t label = 0; label < classes.size(); ++label) {
    const std::vector<std::int64_t>& row = confusion[label];
    all.push_back({.name = classes[label],
                   .images = std::accumulate(row.begin(), row.end(), std::int64_t{0}),
                   .correct = row[label]});
  }
  return all;
}

std::vector<Confusion> EvaluationGroup::confusions() const {
  std::vector<Confusion> all;
  for (std::size_t label = 0; label < classes.size(); ++label) {
    for (std::size_t prediction = 0; prediction < classes.size(); ++prediction) {
      const std::int64_t images = confusion[label][prediction];
      if (label == prediction || images == 0) continue;
      all.push_back({classes[label], classes[prediction], images});
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Confusion::images);
  return all;
}

std::vector<std::string> EvaluationGroup::missing() const {
  std::vector<std::string> names;
  for (const ClassAccuracy& each : by_class()) {
    if (each.images == 0) names.push_back(each.name);
  }
  return names;
}

EvaluationSummary summarize_evaluations(std::vector<record::Evaluation> evaluations) {
  std::vector<EvaluationGroup> groups;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const record::Evaluation& evaluation = evaluations[i];
    auto found = std::ranges::find_if(groups, [&evaluation](const EvaluationGroup& group) {
      return group.classes == evaluation.classes && group.data == evaluation.data;
    });
    if (found == groups.end()) {
      const std::size_t n = evaluation.classes.size();
      found = groups.insert(
          found, EvaluationGroup{.data = evaluation.data,
                                 .classes = evaluation.classes,
                                 .confusion = std::vector(n, std::vector<std::int64_t>(n, 0))});
    }
    found->models.push_back(i);
    for (std::size_t label = 0; label < evaluation.confusion.size(); ++label) {
      std::ranges::transform(evaluation.confusion[label], found->confusion[label],
                             found->confusion[label].begin(), std::plus());
    }
  }
  for (EvaluationGroup& group : groups) {
    std::vector<double> accuracies;
    for (const std::size_t place : group.models) {
      if (const auto accuracy = evaluations[place].accuracy()) accuracies.push_back(*accuracy);
    }
    group.accuracy = run_figure(std::move(accuracies), 1.0);
  }
  return {std::move(evaluations), std::move(groups)};
}

}  // namespace rooflab::training
