// A confusion table can be summed over models only where label and prediction mean the same in all
// of them: models belong together when they know the same classes in the same order. The mean over
// models is over their accuracies, which on the same images is the accuracy over all predictions.

#include "rooflab/training/evaluation_statistics.hpp"

#include <algorithm>

namespace rooflab::training {

std::vector<ClassAccuracy> EvaluationGroup::by_class() const {
  std::vector<ClassAccuracy> all;
  for (std::size_t label = 0; label < classes.size(); ++label) {
    ClassAccuracy each{.name = classes[label], .correct = confusion[label][label]};
    for (const std::int64_t images : confusion[label]) each.images += images;
    if (each.images > 0) {
      each.accuracy = static_cast<double>(each.correct) / static_cast<double>(each.images);
    }
    all.push_back(std::move(each));
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

std::vector<EvaluationGroup> evaluation_groups(std::span<const record::Evaluation> evaluations) {
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
      for (std::size_t prediction = 0; prediction < evaluation.confusion[label].size();
           ++prediction) {
        found->confusion[label][prediction] += evaluation.confusion[label][prediction];
      }
    }
  }
  for (EvaluationGroup& group : groups) {
    std::vector<double> accuracies;
    for (const std::size_t place : group.models) {
      if (evaluations[place].images() > 0) accuracies.push_back(evaluations[place].accuracy());
    }
    group.accuracy = run_figure(std::move(accuracies), 1.0);
  }
  return groups;
}

}  // namespace rooflab::training
