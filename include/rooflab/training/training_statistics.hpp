#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rooflab/base/statistics.hpp"
#include "rooflab/record/training_run.hpp"

/// What several runs of training say together. docs/methods/training.md.
namespace rooflab::training {

/// Holds the true value with 95 % confidence. Without `high` it has no upper end.
struct ConfidenceInterval {
  double low = 0.0;
  std::optional<double> high;
};

/// Of the mean of normal samples, by Student's t with n - 1 degrees of freedom; nullopt for fewer
/// than two.
[[nodiscard]] std::optional<ConfidenceInterval> mean_interval(const Statistics& statistics);

/// Of the coefficient of variation of normal samples, by the modified McKay method; nullopt for
/// fewer than two samples, for a mean that is not above zero and for samples that are all equal.
/// Meant for coefficients below a third.
/// Source: Vangel, "Confidence intervals for a normal coefficient of variation", The American
/// Statistician 50 (1996) 21-26.
[[nodiscard]] std::optional<ConfidenceInterval> variation_interval(const Statistics& statistics);

/// One quantity over the runs that have it.
struct RunFigure {
  std::vector<double> values;  ///< in the order of the runs
  Statistics statistics;
  std::optional<ConfidenceInterval> mean_interval;
  std::optional<ConfidenceInterval> variation_interval;
};

/// Of values between 0 and `highest`, to which the mean's interval is cut: 1 of an accuracy.
/// nullopt without values.
[[nodiscard]] std::optional<RunFigure> run_figure(
    std::vector<double> values, double highest = std::numeric_limits<double>::infinity());

/// Where the wall clock of the epochs went: fractions of their training and validation together.
struct EpochShares {
  double wait = 0.0;   ///< training waited for the data workers
  double issue = 0.0;  ///< the host was at work on issuing steps
  double validation = 0.0;
};

/// Over all epochs; nullopt where no time passed.
[[nodiscard]] std::optional<EpochShares> epoch_shares(const record::TrainingRun& run);

/// Images trained on over the wall clock of training, without validation; nullopt without.
[[nodiscard]] std::optional<double> images_per_s(const record::TrainingRun& run);

/// The first validated epoch of at least this accuracy, 0 to 1; null: never reached.
[[nodiscard]] const record::EpochResult* first_at(const record::TrainingRun& run, double accuracy);

/// How many epochs it took to the target; nullopt: never reached, or no target.
[[nodiscard]] std::optional<std::int64_t> epochs_to_target(const record::TrainingRun& run);

/// Whether the run came to its end: the target or the last epoch.
[[nodiscard]] bool is_complete(const record::TrainingRun& run);

/// The processor's name, or `cuda:0` where it is not known.
[[nodiscard]] std::string device_name(const record::TrainingRun& run);

/// Everything but device and seed that decides what a run comes to or how long it takes, by name:
/// `batch`: `128`, `learning rate`: `0.1`, ...
using TrainingConfiguration = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] TrainingConfiguration configuration_of(const record::TrainingRun& run);

/// Runs of one configuration on one kind of device.
struct TrainingGroup {
  std::string device;
  TrainingConfiguration configuration;
  std::optional<double> target;
  std::vector<std::size_t> runs;  ///< places in the list, in its order
  std::size_t complete = 0;       ///< came to their end
  std::size_t reached = 0;        ///< the target
  // Of the runs that reached the target alone:
  std::optional<RunFigure> time_to_target_s;
  std::optional<RunFigure> epochs_to_target;
  // Of the complete ones:
  std::optional<RunFigure> final_accuracy;  ///< of the last epoch
  // Of all that trained:
  std::optional<RunFigure> images_per_s;
  std::optional<EpochShares> shares;  ///< mean over the runs
  std::vector<std::string> notes;     ///< what the figures leave out, one sentence each
};

/// In the order in which their first runs stand.
[[nodiscard]] std::vector<TrainingGroup> training_groups(std::span<const record::TrainingRun> runs);

}  // namespace rooflab::training
