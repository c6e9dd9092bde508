// Statistics of n runs with sample mean m, sample standard deviation s and k = s / m.
//
//     mean                 m -+ t s / sqrt(n), t the 97.5 % quantile of Student's distribution with
//                          n - 1 degrees of freedom
//     coefficient of       from k / sqrt(((u + 2) / n - 1) k^2 + u / (n - 1)), u the 97.5 %
//     variation            quantile of chi-square with n - 1 degrees of freedom, to the same with
//                          the 2.5 % quantile; where the root's argument is not above zero, the
//                          upper end is missing (Vangel's modification of McKay's approximation)
//
// Both take the runs as normal and independent, which differing seeds make them. They are wrong for
// a quantity that is cut off: the time to a target is known only of runs that reached it. Those
// that did not are counted and named in the notes; the others' mean is then that of the lucky ones.
//
// Runs belong together when nothing but the seed differs. Two GPUs of one name are one device.
//
// A run reaches p % with its first validated epoch of accuracy >= p / 100, and the time is that
// epoch's elapsed_s: a target's own rule, so that both agree where the target is a whole per cent.
// An accuracy is correct / images, and of 57 % that is the same double as 57 / 100; floor(100 a) it
// cannot be, as 100 times that double lies below 57.
//
// Two things that the times are not. A schedule aims at its own last epoch: what a run needs for
// 88 % on its way to 91 % is more than one made for 88 % would. And where not all reached p %, the
// mean is that of those that did.

#include "rooflab/training/training_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "rooflab/base/statistics.hpp"
#include "rooflab/describe/figure_key.hpp"
#include "rooflab/training/training_advice.hpp"
#include "training_notes.hpp"

namespace rooflab::training {
namespace {

using record::EpochResult;
using record::TrainingRun;

constexpr double outside = 0.05;  ///< what a 95 % interval misses, half of it on either side

// ---- milestones -----------------------------------------------------------------------------

constexpr int milestone_rows = 5;  ///< from the highest down

/// The highest that it reaches.
int whole_percent(double accuracy) {
  const int nearest = static_cast<int>(std::round(std::clamp(accuracy, 0.0, 1.0) * 100.0));
  return accuracy >= nearest / 100.0 ? nearest : nearest - 1;
}

/// 0 where nothing was validated.
int highest_percent(const TrainingRun& run) {
  int highest = 0;
  for (const EpochResult& epoch : run.epochs) {
    if (epoch.accuracy) highest = std::max(highest, whole_percent(*epoch.accuracy));
  }
  return highest;
}

/// `percent` is one that some run reached.
AccuracyMilestone milestone_at(int percent, const std::vector<const TrainingRun*>& runs) {
  std::vector<double> times;
  std::vector<double> epochs;
  for (const TrainingRun* run : runs) {
    const EpochResult* first = first_at(*run, percent / 100.0);
    if (first == nullptr) continue;
    times.push_back(first->elapsed_s);
    epochs.push_back(static_cast<double>(first->epoch + 1));
  }
  return {.percent = percent,
          .reached = times.size(),
          .time_s = run_figure(std::move(times)).value(),
          .epochs = run_figure(std::move(epochs)).value()};
}

std::vector<AccuracyMilestone> accuracy_milestones(const TrainingGroup& group,
                                                   std::span<const TrainingRun> runs) {
  const int limit = group.target ? whole_percent(*group.target) : 100;
  std::vector<const TrainingRun*> complete;
  int highest = 0;
  int of_all = limit;
  for (const std::size_t place : group.runs) {
    const TrainingRun& run = runs[place];
    if (!is_complete(run)) continue;
    complete.push_back(&run);
    const int percent = std::min(highest_percent(run), limit);
    highest = std::max(highest, percent);
    of_all = std::min(of_all, percent);
  }
  std::vector<AccuracyMilestone> milestones;
  const int below = std::max(highest - milestone_rows, 0);
  for (int percent = highest; percent > below; --percent) {
    milestones.push_back(milestone_at(percent, complete));
  }
  if (of_all > 0 && of_all <= below) milestones.push_back(milestone_at(of_all, complete));
  return milestones;
}

// ---- groups ---------------------------------------------------------------------------------

/// What the numbers do not say.
void add_notes(TrainingGroup& group, std::span<const TrainingRun> all) {
  std::set<std::string> libraries;
  std::size_t resumed = 0;
  for (const std::size_t place : group.runs) {
    const TrainingRun& run = all[place];
    if (const auto version = run.environment.libraries.find("libtorch");
        version != run.environment.libraries.end()) {
      libraries.insert(version->second);
    }
    if (run.resumed > 0) ++resumed;
  }
  if (const std::size_t cut = group.runs.size() - group.complete; cut > 0) {
    group.notes.push_back({says.runs_stopped_early, {cut}});
  }
  if (group.target && group.complete > 0 && group.reached == 0) {
    group.notes.push_back({says.target_not_reached, {*group.target}});
  } else if (group.target && group.reached < group.complete) {
    group.notes.push_back(
        {says.target_reached_by_some, {group.reached, group.complete, *group.target}});
  }
  if (resumed > 0) group.notes.push_back({says.runs_resumed, {resumed}});
  if (libraries.size() > 1) {
    group.notes.push_back(
        {says.several_libtorch, {std::vector<std::string>(libraries.begin(), libraries.end())}});
  }
  const bool all_at_target = group.target && group.reached == group.complete;
  if (const AccuracyMilestone* of_all = group.reached_by_all();
      group.complete > 1 && !all_at_target && of_all != nullptr) {
    group.notes.push_back({says.milestone_of_all, {group.complete, of_all->percent}});
  }
}

/// Over all epochs; nullopt where no time passed.
std::optional<EpochShares> epoch_shares(const TrainingRun& run) {
  const EpochSums sums = epoch_sums(run);
  const double whole = sums.train_s + sums.validation_s;
  if (whole <= 0.0) return std::nullopt;
  return EpochShares{sums.wait_s / whole, sums.issue_s / whole, sums.validation_s / whole};
}

/// The figures of a group whose runs are known.
void fill(TrainingGroup& group, std::span<const TrainingRun> all) {
  std::vector<double> times;
  std::vector<double> epochs;
  std::vector<double> accuracies;
  std::vector<double> rates;
  EpochShares sum;
  std::size_t with_shares = 0;
  for (const std::size_t place : group.runs) {
    const TrainingRun& run = all[place];
    if (is_complete(run)) {
      ++group.complete;
      accuracies.push_back(run.epochs.back().accuracy.value_or(0.0));
      if (run.reached_s) {
        ++group.reached;
        times.push_back(*run.reached_s);
        if (const auto count = epochs_to_target(run)) {
          epochs.push_back(static_cast<double>(*count));
        }
      }
    }
    if (const auto rate = samples_per_s(run)) rates.push_back(*rate);
    if (const auto shares = epoch_shares(run)) {
      sum.wait += shares->wait;
      sum.issue += shares->issue;
      sum.validation += shares->validation;
      ++with_shares;
    }
  }
  group.time_to_target_s = run_figure(std::move(times));
  group.epochs_to_target = run_figure(std::move(epochs));
  group.final_accuracy = run_figure(std::move(accuracies), 1.0);
  group.samples_per_s = run_figure(std::move(rates));
  if (with_shares > 0) {
    const auto n = static_cast<double>(with_shares);
    group.shares = {.wait = sum.wait / n, .issue = sum.issue / n, .validation = sum.validation / n};
  }
  group.milestones = accuracy_milestones(group, all);
  add_notes(group, all);
}

}  // namespace

std::optional<ConfidenceInterval> mean_interval(const Statistics& statistics) {
  if (statistics.count < 2) return std::nullopt;
  const auto n = static_cast<double>(statistics.count);
  const double reach =
      student_t_quantile(1.0 - outside / 2.0, n - 1.0) * statistics.deviation / std::sqrt(n);
  return ConfidenceInterval{.low = statistics.mean - reach, .high = statistics.mean + reach};
}

std::optional<ConfidenceInterval> variation_interval(const Statistics& statistics) {
  if (statistics.count < 2 || statistics.mean <= 0.0 || statistics.deviation <= 0.0) {
    return std::nullopt;
  }
  const auto n = static_cast<double>(statistics.count);
  const double k = statistics.variation;
  const auto end = [n, k](double p) -> std::optional<double> {
    const double u = chi_square_quantile(p, n - 1.0);
    const double square = ((u + 2.0) / n - 1.0) * k * k + u / (n - 1.0);
    return square > 0.0 ? std::optional(k / std::sqrt(square)) : std::nullopt;
  };
  // The 97.5 % quantile exceeds n - 2 for every n: there is always a lower end.
  return ConfidenceInterval{.low = *end(1.0 - outside / 2.0), .high = end(outside / 2.0)};
}

std::optional<RunFigure> run_figure(std::vector<double> values, double highest) {
  if (values.empty()) return std::nullopt;
  RunFigure figure;
  figure.statistics = statistics_of(values);
  figure.values = std::move(values);
  figure.mean_interval = mean_interval(figure.statistics);
  if (figure.mean_interval) {
    figure.mean_interval->low = std::max(figure.mean_interval->low, 0.0);
    // An interval that may go without an upper end has one here.
    figure.mean_interval->high = std::min(figure.mean_interval->high.value(), highest);
  }
  figure.variation_interval = variation_interval(figure.statistics);
  return figure;
}

const AccuracyMilestone* TrainingGroup::reached_by_all() const {
  const auto found = std::ranges::find(milestones, complete, &AccuracyMilestone::reached);
  return found == milestones.end() ? nullptr : &*found;
}

std::optional<double> RunFigure::deviation() const {
  return statistics.count > 1 ? std::optional(statistics.deviation) : std::nullopt;
}

std::optional<double> RunFigure::variation() const {
  return statistics.count > 1 ? std::optional(statistics.variation) : std::nullopt;
}

std::span<const GroupFigure> group_figures() {
  const auto row = [](FigureKey key, std::optional<RunFigure> TrainingGroup::*values) {
    return GroupFigure{&key.figure(), values};
  };
  static const std::array rows = {row("time_to_target_s", &TrainingGroup::time_to_target_s),
                                  row("epochs_to_target", &TrainingGroup::epochs_to_target),
                                  row("final_accuracy_share", &TrainingGroup::final_accuracy),
                                  row("samples_per_s", &TrainingGroup::samples_per_s)};
  return rows;
}

std::vector<TrainingGroup> training_groups(std::span<const TrainingRun> runs) {
  std::vector<TrainingGroup> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const TrainingConfiguration configuration = configuration_of(runs[i]);
    const std::string device = device_name(runs[i]);
    auto found = std::ranges::find_if(groups, [&](const TrainingGroup& group) {
      return group.device == device && group.configuration == configuration;
    });
    if (found == groups.end()) {
      found = groups.insert(found, TrainingGroup{.number = groups.size() + 1,
                                                 .device = device,
                                                 .configuration = configuration,
                                                 .target = runs[i].target_accuracy});
    }
    found->runs.push_back(i);
  }
  for (TrainingGroup& group : groups) fill(group, runs);
  return groups;
}

}  // namespace rooflab::training
