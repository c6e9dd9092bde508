#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/study/figures.hpp"

namespace rooflab::study {

/// Figures as they are found. What is not known is not added.
class FigureList {
 public:
  /// An interval needs both ends, and must hold the value: else it is left out.
  void add(std::string_view quantity, std::optional<double> value, std::optional<double> low = {},
           std::optional<double> high = {});
  /// The number under `key` of an object.
  void add(std::string_view quantity, const Json& json, FigureKey key);
  /// Work over the figure `time`, with the interval that the time's own gives. Nothing without
  /// both, or where no time passed.
  void add_rate(std::string_view quantity, std::optional<double> work);

  [[nodiscard]] const Figure* find(std::string_view quantity) const;
  [[nodiscard]] std::vector<Figure> take() { return std::move(figures_); }

 private:
  std::vector<Figure> figures_;
};

}  // namespace rooflab::study
