// Statistics of n runs with sample mean m, sample standard deviation s and k = s / m.
//
//     mean                 m -+ t s / sqrt(n), t the 97.5 % quantile of Student's distribution with
//                          n - 1 degrees of freedom
//     coefficient of       from k / sqrt(((u + 2) / n - 1) k^2 + u / (n - 1)), u the 97.5 %
//     quantile variation            of chi-square with n - 1 degrees of freedom, to the same with
//     the 2.5 %
//                          quantile; where the root's argument is not above zero there is no end
//                          (Vangel's modification of McKay's approximation)
//
// Both take the runs as normal and independent, which differing seeds make them. They are wrong for
// a quantity that is cut off: the time to a target is known only of runs that reached it. Those
// that did not are counted and named in the notes; the others' mean is then that of the lucky ones.
//
// Runs belong together when nothing but the seed differs. Two GPUs of one name are one device.

#include "rooflab/training/training_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "rooflab/base/distribution.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::training {
namespace {

using record::EpochResult;
using record::TrainingRun;

constexpr double outside = 0.05;  ///< what a 95 % interval misses, half of it on either side

std::string count_of(std::size_t count, std::string_view noun) {
  return format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

double training_time(const TrainingRun& run) {
  double sum = 0.0;
  for (const EpochResult& epoch : run.epochs) sum += epoch.train_s;
  return sum;
}

std::string numbers(const std::vector<std::int64_t>& values) {
  std::vector<std::string> texts;
  for (const std::int64_t value : values) texts.push_back(std::to_string(value));
  return join(texts, ",");
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

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
    group.notes.push_back(format("{} did not come to {} end and {} only in images/s",
                                 count_of(cut, "run"), cut == 1 ? "its" : "their",
                                 cut == 1 ? "counts" : "count"));
  }
  if (group.target && group.complete > 0 && group.reached == 0) {
    group.notes.push_back(
        format("no run reached {:g} %: there is no time to it", *group.target * 100.0));
  } else if (group.target && group.reached < group.complete) {
    group.notes.push_back(format(
        "{} of {} complete runs reached {:g} %; times and epochs to it are of these alone, and the"
        " other{} would have taken longer",
        group.reached, group.complete, *group.target * 100.0,
        group.complete - group.reached == 1 ? "" : "s"));
  }
  if (resumed > 0) {
    group.notes.push_back(format("{} taken up after a stop; the time between is not counted",
                                 resumed == 1 ? "1 run was" : format("{} runs were", resumed)));
  }
  if (libraries.size() > 1) {
    group.notes.push_back(
        format("not all runs had one libtorch: {}",
               join(std::vector<std::string>(libraries.begin(), libraries.end()), ", ")));
  }
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
      accuracies.push_back(run.epochs.back().accuracy);
      if (run.reached_s) {
        ++group.reached;
        times.push_back(*run.reached_s);
        if (const auto count = epochs_to_target(run)) {
          epochs.push_back(static_cast<double>(*count));
        }
      }
    }
    if (const auto rate = images_per_s(run)) rates.push_back(*rate);
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
  group.images_per_s = run_figure(std::move(rates));
  if (with_shares > 0) {
    const auto n = static_cast<double>(with_shares);
    group.shares = {.wait = sum.wait / n, .issue = sum.issue / n, .validation = sum.validation / n};
  }
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

std::optional<EpochShares> epoch_shares(const TrainingRun& run) {
  EpochShares shares;
  double whole = 0.0;
  for (const EpochResult& epoch : run.epochs) {
    whole += epoch.train_s + epoch.validation_s;
    shares.wait += epoch.wait_s;
    shares.issue += epoch.issue_s;
    shares.validation += epoch.validation_s;
  }
  if (whole <= 0.0) return std::nullopt;
  shares.wait /= whole;
  shares.issue /= whole;
  shares.validation /= whole;
  return shares;
}

std::optional<double> images_per_s(const TrainingRun& run) {
  double images = 0.0;
  for (const EpochResult& epoch : run.epochs) images += static_cast<double>(epoch.images);
  const double time = training_time(run);
  if (images <= 0.0 || time <= 0.0) return std::nullopt;
  return images / time;
}

const EpochResult* first_at(const TrainingRun& run, double accuracy) {
  const auto first = std::ranges::find_if(run.epochs, [accuracy](const EpochResult& epoch) {
    return epoch.validated && epoch.accuracy >= accuracy;
  });
  return first == run.epochs.end() ? nullptr : &*first;
}

std::optional<std::int64_t> epochs_to_target(const TrainingRun& run) {
  if (!run.target_accuracy) return std::nullopt;
  const EpochResult* first = first_at(run, *run.target_accuracy);
  return first != nullptr ? std::optional(first->epoch + 1) : std::nullopt;
}

bool is_complete(const TrainingRun& run) {
  if (run.status != record::Status::ok || run.epochs.empty()) return false;
  const EpochResult& last = run.epochs.back();
  return run.reached_s || (last.validated && last.epoch + 1 >= run.recipe.epochs);
}

std::string device_name(const TrainingRun& run) {
  const std::string& name = run.environment.device.name;
  return name.empty() ? run.identity.device : name;
}

TrainingConfiguration configuration_of(const TrainingRun& run) {
  const record::CaseIdentity& identity = run.identity;
  const record::TrainingRecipe& recipe = run.recipe;
  const auto number = [](double value) { return format("{:g}", value); };
  TrainingConfiguration facts = {
      {"model", identity.model},
      {"variant", identity.variant},
      {"rewrite", identity.rewrite},
      {"network", identity.graph},
      {"classes", std::to_string(run.classes.size())},
      {"data", identity.data},
      {"images to train on", std::to_string(run.train_images)},
      {"batch", std::to_string(identity.batch)},
      {"precision", std::string(name_of(identity.precision))},
      {"channels-last", yes_or_no(identity.channels_last)},
      {"optimizer", identity.optimizer},
      {"data workers", std::to_string(run.data_workers)},
      {"target", run.target_accuracy ? number(*run.target_accuracy) : "none"},
      {"epochs", std::to_string(recipe.epochs)},
      {"learning rate", number(recipe.learning_rate)},
      {"momentum", number(recipe.momentum)},
      {"weight decay", number(recipe.weight_decay)},
      {"Nesterov", yes_or_no(recipe.nesterov)},
      {"label smoothing", number(recipe.label_smoothing)},
      {"schedule", std::string(name_of(recipe.schedule))},
      {"augmentation", yes_or_no(recipe.augment)},
      {"deterministic", yes_or_no(recipe.deterministic)}};
  // What a schedule does not use decides nothing.
  if (recipe.schedule == record::LearningRateSchedule::one_cycle) {
    facts.emplace_back("rise", number(recipe.rise));
  } else {
    facts.emplace_back("warm-up epochs", number(recipe.warmup_epochs));
  }
  if (recipe.schedule == record::LearningRateSchedule::step) {
    facts.emplace_back("milestones", numbers(recipe.milestones));
    facts.emplace_back("step factor", number(recipe.step_factor));
  }
  // --max-images cuts epochs short; the last batch may lack otherwise.
  const bool cut = !run.epochs.empty() && run.epochs.front().validated &&
                   run.epochs.front().images + identity.batch <= run.train_images;
  facts.emplace_back("images an epoch",
                     cut ? std::to_string(run.epochs.front().images) : std::string("all"));
  return facts;
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
      found = groups.insert(found, TrainingGroup{.device = device,
                                                 .configuration = configuration,
                                                 .target = runs[i].target_accuracy});
    }
    found->runs.push_back(i);
  }
  for (TrainingGroup& group : groups) fill(group, runs);
  return groups;
}

}  // namespace rooflab::training
