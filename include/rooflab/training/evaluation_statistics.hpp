#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/record/training_run.hpp"
#include "rooflab/training/training_statistics.hpp"

namespace rooflab::training {

/// One class of labelled images, over all models of a group.
struct ClassAccuracy {
  std::string name;
  std::int64_t images = 0;  ///< that have this label; each counts once for every model
  std::int64_t correct = 0;

  [[nodiscard]] std::optional<double> accuracy() const;  ///< nullopt without images
};

/// Images of one class that the model assigns to another.
struct Confusion {
  std::string label;
  std::string prediction;
  std::int64_t images = 0;
};

/// Models with the same classes on the same images.
struct EvaluationGroup {
  std::vector<std::size_t> models;  ///< places in the list
  std::string data;
  std::vector<std::string> classes;
  std::optional<RunFigure> accuracy;  ///< a value for each model
  std::vector<std::vector<std::int64_t>>
      confusion;  ///< [label][prediction], summed over the models

  [[nodiscard]] std::vector<ClassAccuracy> by_class() const;
  /// The wrong predictions, the most frequent first.
  [[nodiscard]] std::vector<Confusion> confusions() const;
  /// The classes without images.
  [[nodiscard]] std::vector<std::string> missing() const;
};

/// In the order in which their first models stand. Models without images have no accuracy.
struct EvaluationSummary {
  std::vector<record::Evaluation> evaluations;
  std::vector<EvaluationGroup> groups;
};
[[nodiscard]] EvaluationSummary summarize_evaluations(std::vector<record::Evaluation> evaluations);

[[nodiscard]] std::span<const Field> fields_of(For<ClassAccuracy>);
[[nodiscard]] std::span<const Field> fields_of(For<Confusion>);
[[nodiscard]] std::span<const Field> fields_of(For<EvaluationGroup>);
/// Only the evaluations among these fields are read.
[[nodiscard]] std::span<const Field> fields_of(For<EvaluationSummary>);
[[nodiscard]] FileKind file_kind_of(For<EvaluationSummary>);

}  // namespace rooflab::training
