#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/chart/chart.hpp"
#include "time_unit.hpp"

namespace rooflab::chart {

struct TimePoint {
  double time_s = 0.0;
  std::optional<double> value;
};

/// One quantity over time, as lines. Points without the quantity make a gap.
class TimeChart {
 public:
  struct Words {
    std::string title;
    std::string subtitle;
    std::string label;  ///< the quantity, on its axis
    std::string unit;
    double factor = 1.0;  ///< from base units to units of the axis; 1 with SI prefixes
    NumberStyle numbers = NumberStyle::plain;
  };
  TimeChart(Words words, double longest_s);

  /// Adds a line with its mean in the legend, in the next colour, unless no point has a value.
  void add(std::string name, const std::vector<TimePoint>& all, std::optional<double> mean);

  /// Appends the chart to `charts`, unless it has no line. Amounts are drawn from zero, shares up
  /// to `top`.
  void finish(std::vector<Chart>& charts, std::string caption = "",
              std::optional<double> top = std::nullopt);

 private:
  double longest_s_;
  TimeUnit time_;
  double factor_;
  Chart chart_;
  int color_ = 0;
  double highest_ = 0.0;
  bool thinned_ = false;
};

}  // namespace rooflab::chart
