#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "figures.hpp"
#include "json_part.hpp"

/// Reads the quantities of a study from the JSON of each command. Every function takes the whole
/// file and reads its first case.
namespace rooflab::study {

/// Collects figures. Unknown values are not added.
class FigureList {
 public:
  /// Adds a figure. An interval is left out unless it has both ends and contains the value.
  void add(std::string_view quantity, std::optional<double> value, std::optional<double> low = {},
           std::optional<double> high = {});
  /// Adds the number under `key` of an object.
  void add(std::string_view quantity, const Json& json, FigureKey key);
  /// Adds the numbers of an object under the keys of these quantities.
  void add(const Json& json, std::initializer_list<std::string_view> quantities);
  /// Adds work over the figure `time`, with the interval from that of the time. Adds nothing if one
  /// is missing, or the time is 0.
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

/// Adds the memory of a prediction including the context; nothing without a context, because it
/// would only be the reserved memory.
void add_total_memory(FigureList& figures, const Json& memory);

/// The plan of a partition: the requested cut if any, else the best one.
[[nodiscard]] const Json& shown_plan(const Json& result);

/// Counts at a point of the boundary: from the search on the device if any, else from the
/// prediction.
[[nodiscard]] const Json& boundary_of(const Json& point);

// training_figures.cpp
void add_train(FigureList& figures, const Json& result);
void add_evaluate(FigureList& figures, const Json& result);

// recorded_figures.cpp
void add_recorded(FigureList& figures, const Json& result);  ///< `profile` and `import`
void add_probe(FigureList& figures, const Json& result);

/// The vector additions in the result of `probe` as separate cases with the attributes `launch`,
/// `memory` and `elements` in addition to those of the probe: `time` includes the copies,
/// `device_time` is the addition alone. Additions with wrong sums are left out.
[[nodiscard]] std::vector<StudyCase> addition_cases(const StudyCase& probe, const Json& result);

/// Share of the kernels in a sum of counters; nullopt: not in the file.
[[nodiscard]] std::optional<double> coverage_of(const Json& sums, FigureKey key);

/// Adds counters. `sums`: over kernels, with their coverage; a sum over only a part of the kernels
/// is not a figure of the step. `step`: counters of the whole step, or null.
void add_counted(FigureList& figures, const Json& sums, const Json& step);

}  // namespace rooflab::study
