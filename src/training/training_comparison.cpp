// Is the difference between two devices real? The runs of both are put to the Mann-Whitney test,
// which asks for no distribution: a p-value up to 5 % is called real. Runs are few and dear, so
// what they can say at all is said first: n and m runs give no p-value below 2 / C(n + m, n), which
// reaches 5 % from 4 and 4 runs (or 3 and 5) on; fewer tell nothing, however far apart they are.
//
// That a difference is not shown does not make two devices alike: with few runs only large ones
// show. Pairs are tested one by one; of twenty pairs without any difference one is called real.
//
// Devices are compared over runs that differ in nothing else. Where they do, the sentence says in
// what, because then the device need not be the reason.

#include "base/format.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::training {
namespace {

/// Least number of runs on either side with which a p-value can reach the level.
std::size_t enough_runs() {
  std::size_t n = 1;
  while (least_p_value(n, n) > significance_level) ++n;
  return n;
}

std::string verdict_text(const TrainingComparison& c, std::size_t n, std::size_t m) {
  switch (c.verdict) {
    case TrainingVerdict::real:
      return format("the difference is real (p = {:.2g})", c.test->p_value);
    case TrainingVerdict::not_shown:
      return format("a difference is not shown (p = {:.2g})", c.test->p_value);
    case TrainingVerdict::too_few:
      return format("too few runs to tell: {} and {} give no p below {:.2g}, {} and {} would do", n,
                    m, *c.least_p, enough_runs(), enough_runs());
    case TrainingVerdict::missing:
      break;
  }
  return {};
}

TrainingComparison compare_figure(const GroupFigure& figure, const TrainingGroup& a,
                                  const TrainingGroup& b,
                                  const std::vector<std::string>& differences) {
  TrainingComparison c;
  c.figure = figure.figure;
  c.a = a.device;
  c.b = b.device;
  c.differences = differences;
  const std::optional<RunFigure>& of_a = a.*figure.values;
  const std::optional<RunFigure>& of_b = b.*figure.values;
  if (of_a) c.median_a = of_a->statistics.median;
  if (of_b) c.median_b = of_b->statistics.median;
  if (!of_a || !of_b) {
    c.sentence = format("{}: none on {}", figure.figure->title, of_a ? c.b : c.a);
    return c;
  }
  c.ratio = quotient(c.median_b, c.median_a);
  const std::size_t n = of_a->values.size();
  const std::size_t m = of_b->values.size();
  c.test = rank_test(of_a->values, of_b->values);
  c.least_p = least_p_value(n, m);
  c.verdict = *c.least_p > significance_level         ? TrainingVerdict::too_few
              : c.test->p_value <= significance_level ? TrainingVerdict::real
                                                      : TrainingVerdict::not_shown;
  c.sentence =
      format("{}: median {} on {}, {} on {}", figure.figure->title,
             text_of(*figure.figure, *c.median_a), c.a, text_of(*figure.figure, *c.median_b), c.b);
  if (c.ratio) c.sentence += format(", ratio {:.3g}", *c.ratio);
  c.sentence += ": " + verdict_text(c, n, m);
  if (!differences.empty()) {
    c.sentence += format("; the device need not be the reason, the runs differ also in {}",
                         join(differences, "; "));
  }
  return c;
}

}  // namespace

std::optional<double> TrainingComparison::p_value() const {
  return test ? std::optional(test->p_value) : std::nullopt;
}

std::vector<TrainingComparison> compare_training(const TrainingGroup& a, const TrainingGroup& b) {
  const std::vector<std::string> differences =
      configuration_differences(a.configuration, b.configuration);
  std::vector<TrainingComparison> comparisons;
  for (const GroupFigure& figure : group_figures()) {
    if (!(a.*figure.values) && !(b.*figure.values)) continue;
    comparisons.push_back(compare_figure(figure, a, b, differences));
  }
  return comparisons;
}

std::vector<TrainingComparison> compare_training(std::span<const TrainingGroup> groups) {
  std::vector<TrainingComparison> all;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      for (TrainingComparison& each : compare_training(groups[i], groups[j])) {
        all.push_back(std::move(each));
      }
    }
  }
  return all;
}

TrainingSummary summarize_training(std::vector<NamedTraining> trainings) {
  TrainingSummary summary{.runs = std::move(trainings)};
  std::vector<record::TrainingRun> runs;
  for (const NamedTraining& each : summary.runs) runs.push_back(each.run);
  summary.groups = training_groups(runs);
  for (TrainingGroup& group : summary.groups) {
    for (const std::size_t place : group.runs) {
      summary.runs[place].group = group.number;
      group.names.push_back(summary.runs[place].name);
      if (!runs[place].epochs.empty()) group.advice = advice_of(runs[place]);
    }
  }
  summary.comparisons = compare_training(summary.groups);
  return summary;
}

}  // namespace rooflab::training
