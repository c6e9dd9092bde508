#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/describe/figure.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/record/training_run.hpp"
#include "rooflab/training/training_advice.hpp"

/// Statistics of several runs of training. docs/methods/training.md.
namespace rooflab::training {

/// Interval that holds the true value with 95 % confidence. Without `high` it has no upper end.
struct ConfidenceInterval {
  double low = 0.0;
  std::optional<double> high = {};
};

/// Interval of the mean of normal samples, by Student's t with n - 1 degrees of freedom; nullopt
/// for fewer than two.
[[nodiscard]] std::optional<ConfidenceInterval> mean_interval(const Statistics& statistics);

/// Interval of the coefficient of variation of normal samples, by the modified McKay method;
/// nullopt for fewer than two samples, for a mean that is not above zero and for samples that are
/// all equal. Meant for coefficients below a third.
/// Source: Vangel, "Confidence intervals for a normal coefficient of variation", The American
/// Statistician 50 (1996) 21-26.
[[nodiscard]] std::optional<ConfidenceInterval> variation_interval(const Statistics& statistics);

/// One quantity over the runs that have it.
struct RunFigure {
  std::vector<double> values = {};  ///< in the order of the runs
  Statistics statistics = {};
  std::optional<ConfidenceInterval> mean_interval = {};
  std::optional<ConfidenceInterval> variation_interval = {};

  // Spreads are nullopt for a single run.
  [[nodiscard]] std::optional<double> deviation() const;
  [[nodiscard]] std::optional<double> variation() const;
};

/// Figure of values from 0 to `highest`, to which the mean's interval is cut: 1 for an accuracy.
/// nullopt without values.
[[nodiscard]] std::optional<RunFigure> run_figure(
    std::vector<double> values, double highest = std::numeric_limits<double>::infinity());

/// Parts of the epochs' wall clock, as fractions of their training and validation time.
struct EpochShares {
  double wait = 0.0;   ///< training waited for the data workers
  double issue = 0.0;  ///< the host issued steps
  double validation = 0.0;
};

/// A whole per cent of validation accuracy, and the effort to reach it.
struct AccuracyMilestone {
  int percent = 0;
  std::size_t reached = 0;  ///< complete runs that reached it, at least one
  // Only for runs that reached it, up to their first validation at it:
  RunFigure time_s = {};
  RunFigure epochs = {};

  [[nodiscard]] double accuracy() const { return percent / 100.0; }
};

/// All settings except device and seed that decide the result of a run or its time: an object whose
/// keys are words of the vocabulary.
using TrainingConfiguration = Json;
[[nodiscard]] TrainingConfiguration configuration_of(const record::TrainingRun& run);

/// Differences, with A's value before B's: `batch: 128, 256`.
[[nodiscard]] std::vector<std::string> configuration_differences(TrainingConfiguration a,
                                                                 TrainingConfiguration b);

/// Runs of one configuration on one kind of device.
struct TrainingGroup {
  std::size_t number = 0;  ///< from 1
  std::string device = {};
  TrainingConfiguration configuration = {};
  std::optional<double> target = {};
  std::vector<std::size_t> runs = {};   ///< places in the list, in its order
  std::vector<std::string> names = {};  ///< names of the runs, where they have any
  std::size_t complete = 0;             ///< runs that reached their end
  std::size_t reached = 0;              ///< runs that reached the target
  // Only for runs that reached the target:
  std::optional<RunFigure> time_to_target_s = {};
  std::optional<RunFigure> epochs_to_target = {};
  // Only for complete runs:
  std::optional<RunFigure> final_accuracy = {};  ///< accuracy of the last epoch
  /// Milestones, highest first: the highest whole per cent that any complete run reached, the four
  /// below it, and the highest that all reached. None is above the target, at which runs stop.
  /// Empty where no complete run reached 1 %.
  std::vector<AccuracyMilestone> milestones = {};
  // For all runs that trained:
  std::optional<RunFigure> samples_per_s = {};
  std::optional<EpochShares> shares = {};   ///< mean over the runs
  std::vector<Note> notes = {};             ///< what the figures do not include, one sentence each
  std::vector<TrainingAdvice> advice = {};  ///< from the latest run that trained

  /// The highest milestone that all complete runs reached; nullptr without one.
  [[nodiscard]] const AccuracyMilestone* reached_by_all() const;
};

/// A figure of groups, with its word of the vocabulary.
struct GroupFigure {
  const Figure* figure = {};
  std::optional<RunFigure> TrainingGroup::*values = {};
};
[[nodiscard]] std::span<const GroupFigure> group_figures();

/// Groups runs by configuration and device, in the order of their first runs.
[[nodiscard]] std::vector<TrainingGroup> training_groups(std::span<const record::TrainingRun> runs);

/// Fields in JSON, described in docs/formats/training.md.
[[nodiscard]] std::span<const Field> fields_of(For<RunFigure>);
[[nodiscard]] std::span<const Field> fields_of(For<EpochShares>);
[[nodiscard]] std::span<const Field> fields_of(For<AccuracyMilestone>);
[[nodiscard]] std::span<const Field> fields_of(For<TrainingGroup>);

}  // namespace rooflab::training
