#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "figures.hpp"
#include "json_part.hpp"

/// What each command's JSON says, by the quantities of a study. Every function takes the whole file
/// and reads its first case.
namespace rooflab::study {

/// Figures as they are found. What is not known is not added.
class FigureList {
 public:
  /// An interval needs both ends, and must hold the value: else it is left out.
  void add(std::string_view quantity, std::optional<double> value, std::optional<double> low = {},
           std::optional<double> high = {});
  /// The number under `key` of an object.
  void add(std::string_view quantity, const Json& json, FigureKey key);
  /// The numbers of an object under the keys of these quantities.
  void add(const Json& json, std::initializer_list<std::string_view> quantities);
  /// Work over the figure `time`, with the interval that the time's own gives. Nothing without
  /// both, or where no time passed.
  void add_rate(std::string_view quantity, std::optional<double> work);

  [[nodiscard]] const Figure* find(std::string_view quantity) const;
  [[nodiscard]] std::vector<Figure> take() { return std::move(figures_); }

 private:
  std::vector<Figure> figures_;
};

// network_figures.cpp
void add_summary(FigureList& figures, const Json& result);
void add_predict(FigureList& figures, const Json& result);
void add_measure(FigureList& figures, const Json& result);

// devices_figures.cpp
void add_scaling(FigureList& figures, const Json& result);  ///< `scale` and `predict --gpus`
void add_partition(FigureList& figures, const Json& result);
void add_fit(FigureList& figures, const Json& result);

/// Memory with context of a prediction; without a context it would be of the reserved memory alone.
void add_total_memory(FigureList& figures, const Json& memory);

/// Where a network was cut: one's own cut if it was asked for, else the best.
[[nodiscard]] const Json& plan_of(const Json& result);

/// The counts at a point of what fits: of the search on the device where there was one, else of the
/// prediction.
[[nodiscard]] const Json& boundary_of(const Json& point);

// training_figures.cpp
void add_train(FigureList& figures, const Json& result);
void add_evaluate(FigureList& figures, const Json& result);

// recorded_figures.cpp
void add_recorded(FigureList& figures, const Json& result);  ///< `profile` and `import`
void add_probe(FigureList& figures, const Json& result);

/// The vector additions in what `probe` wrote, each a case of its own with the attributes `launch`,
/// `memory` and `elements` besides those of the probe: `time` is the whole with its copies,
/// `device_time` the addition alone. Those with wrong sums are left out.
[[nodiscard]] std::vector<StudyCase> addition_cases(const StudyCase& probe, const Json& result);

/// The share of the kernels that a sum of counters is of; nullopt: the file does not say it.
[[nodiscard]] std::optional<double> coverage_of(const Json& sums, FigureKey key);

/// `sums` of counters over kernels, with their coverage: what only a part of the kernels tells is
/// not a figure of the step. `step` is the whole step's, or null.
void add_counted(FigureList& figures, const Json& sums, const Json& step);

}  // namespace rooflab::study
