#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/record/training_run.hpp"
#include "rooflab/training/training_statistics.hpp"

namespace rooflab::training {

/// One class of labelled images, over all models of a group.
struct ClassAccuracy {
  std::string name = {};
  std::int64_t images = 0;  ///< images with this label, counted once per model
  std::int64_t correct = 0;

  [[nodiscard]] std::optional<double> accuracy() const;  ///< nullopt without images
};

/// Images of one class that the model assigns to another.
struct Confusion {
  std::string label = {};
  std::string prediction = {};
  std::int64_t images = 0;
};

/// Models with the same classes on the same images.
struct EvaluationGroup {
  std::vector<std::size_t> models = {};  ///< places in the list
  std::string data = {};
  std::vector<std::string> classes = {};
  std::optional<RunFigure> accuracy = {};  ///< one value per model
  std::vector<std::vector<std::int64_t>> confusion =
      {};  ///< [label][prediction], summed over the models

  [[nodiscard]] std::vector<ClassAccuracy> by_class() const;
  /// Wrong predictions, most frequent first.
  [[nodiscard]] std::vector<Confusion> confusions() const;
  /// The classes without images.
  [[nodiscard]] std::vector<std::string> missing() const;
};

/// Evaluations with their groups, in the order of their first models. Models without images have no
/// accuracy.
struct EvaluationSummary {
  std::vector<record::Evaluation> evaluations = {};
  std::vector<EvaluationGroup> groups = {};
};
[[nodiscard]] EvaluationSummary summarize_evaluations(std::vector<record::Evaluation> evaluations);

[[nodiscard]] std::span<const Field> fields_of(For<ClassAccuracy>);
[[nodiscard]] std::span<const Field> fields_of(For<Confusion>);
[[nodiscard]] std::span<const Field> fields_of(For<EvaluationGroup>);
/// Fields in JSON. Only the evaluations are read.
[[nodiscard]] std::span<const Field> fields_of(For<EvaluationSummary>);
[[nodiscard]] FileKind file_kind_of(For<EvaluationSummary>);

/// Verdict on a difference between two devices.
enum class TrainingVerdict : std::uint8_t {
  real,       ///< significant at 5 %
  not_shown,  ///< it may be chance
  too_few,    ///< no p-value of so few runs reaches 5 %
  missing,    ///< one side has no such figure
};
constexpr auto names_in_order(For<TrainingVerdict>) {
  return names_through<TrainingVerdict::missing>("real", "not shown", "too few runs", "missing");
}

/// One figure of two groups of runs.
struct TrainingComparison {
  const Figure* figure = nullptr;  ///< one of group_figures()
  std::string a = {};              ///< device
  std::string b = {};
  std::optional<double> median_a = {};  ///< in the figure's own unit
  std::optional<double> median_b = {};
  std::optional<double> ratio = {};    ///< B's median over A's
  std::optional<RankTest> test = {};   ///< Mann-Whitney, of the runs
  std::optional<double> least_p = {};  ///< smallest p-value possible with this number of runs
  TrainingVerdict verdict = TrainingVerdict::missing;
  std::string sentence = {};                  ///< verdict as a sentence
  std::vector<std::string> differences = {};  ///< other than the device: `batch: 128, 256`

  [[nodiscard]] std::optional<double> p_value() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<TrainingComparison>);

/// Compares A and B in every figure that either has.
[[nodiscard]] std::vector<TrainingComparison> compare_training(const TrainingGroup& a,
                                                               const TrainingGroup& b);

/// Compares every pair of groups, in their order.
[[nodiscard]] std::vector<TrainingComparison> compare_training(
    std::span<const TrainingGroup> groups);

/// A run with its name.
struct NamedTraining {
  std::string name = {};  ///< `run-1`, a folder
  record::TrainingRun run = {};
  std::size_t group = 0;  ///< TrainingGroup::number
};
/// Fields in JSON: those of the run, its notes, and at most 600 samples of each series.
[[nodiscard]] std::span<const Field> fields_of(For<NamedTraining>);

/// Runs of training with their groups, comparisons and advice.
struct TrainingSummary {
  std::vector<NamedTraining> runs = {};
  std::vector<TrainingGroup> groups = {};
  std::vector<TrainingComparison> comparisons = {};
};
/// Fields in JSON. Only the runs are read: the others follow from them.
[[nodiscard]] std::span<const Field> fields_of(For<TrainingSummary>);
[[nodiscard]] FileKind file_kind_of(For<TrainingSummary>);

[[nodiscard]] TrainingSummary summarize_training(std::vector<NamedTraining> trainings);

}  // namespace rooflab::training
