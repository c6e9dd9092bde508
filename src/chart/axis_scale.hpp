#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

struct Tick {
  double value = 0.0;
  std::string label;  ///< empty for a minor tick
};

/// Maps an axis' values to [0, 1] and finds round numbers to mark.
class AxisScale {
 public:
  /// Takes the axis' own range, or one that holds `values` with a margin. Values that the axis
  /// cannot show are ignored; without any value the range is a default.
  AxisScale(const Axis& axis, std::span<const double> values);

  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] bool is_logarithmic() const { return scale_ == Scale::logarithmic; }

  /// Maps a value to 0 at the low end, 1 at the high end, and beyond these outside; nullopt for a
  /// value without a place: not finite, or not positive on a logarithmic axis.
  [[nodiscard]] std::optional<double> to_unit(double value) const;
  [[nodiscard]] double from_unit(double unit) const;

  /// Round numbers within the range, ascending. On a logarithmic axis the labelled ones are powers
  /// of ten (1, 2 and 5 of each where the range is short), the minor ones 2 to 9 of each.
  [[nodiscard]] std::vector<Tick> ticks() const;

  /// Formats a value as the axis writes it, with its unit: `2.5 TFLOP/s`, `12.54 FLOP/B`.
  [[nodiscard]] std::string format_value(double value) const;

 private:
  [[nodiscard]] std::string tick_label(double value) const;
  [[nodiscard]] std::vector<Tick> decade_ticks() const;
  [[nodiscard]] std::vector<Tick> linear_ticks() const;

  Scale scale_;
  NumberStyle numbers_;
  bool whole_;
  std::string unit_;
  double low_ = 0.0;
  double high_ = 1.0;
};

/// The scale of an axis that holds everything in the chart.
[[nodiscard]] AxisScale x_scale_of(const Chart& chart);
[[nodiscard]] AxisScale y_scale_of(const Chart& chart);

/// Ranges of both axes that hold the content of all charts. Needs at least one chart.
struct SharedRanges {
  Range x;
  Range y;
};
[[nodiscard]] SharedRanges shared_ranges(std::span<const Chart> charts);

/// Title of an axis: `label (unit)`.
[[nodiscard]] std::string title_of(const Axis& axis);

}  // namespace rooflab::chart
