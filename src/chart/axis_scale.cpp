#include "axis_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/format.hpp"
#include "safe_text.hpp"

namespace rooflab::chart {
namespace {

/// Share of the axis that stays free at each end of an automatic range.
constexpr double air = 0.06;
/// The shortest automatic logarithmic range, in decades.
constexpr double least_decades = 1.0;
/// Below this number of decades, 2 and 5 of each are labelled as well.
constexpr double short_range = 3.0;
constexpr double most_labelled_decades = 9.0;
constexpr double intended_linear_ticks = 6.0;
/// Beyond it, and below its inverse on a logarithmic axis, the ends of a range could overflow.
constexpr double largest_value = 1e290;

bool has_place(double value, bool logarithmic) {
  return std::isfinite(value) && std::abs(value) <= largest_value &&
         (!logarithmic || value >= 1.0 / largest_value);
}

bool is_usable(const Range& range, bool logarithmic) {
  return has_place(range.low, logarithmic) && has_place(range.high, logarithmic) &&
         range.low < range.high;
}

/// The vertices of a guide that a range must hold: not those that only give a direction.
template <class Append>
void append_vertices(const Guide& guide, const Append& append) {
  const std::size_t count = guide.line.size();
  for (std::size_t i = 0; i < count; ++i) {
    const bool only_direction =
        (i == 0 && guide.extend_start) || (i + 1 == count && guide.extend_end);
    if (!only_direction) append(guide.line[i]);
  }
}

}  // namespace

AxisScale::AxisScale(const Axis& axis, std::span<const double> values)
    : scale_(axis.scale), numbers_(axis.numbers), whole_(axis.whole), unit_(safe_text(axis.unit)) {
  const bool logarithmic = is_logarithmic();
  if (axis.range && is_usable(*axis.range, logarithmic)) {
    low_ = axis.range->low;
    high_ = axis.range->high;
    return;
  }
  std::vector<double> places;
  for (const double value : values) {
    if (!has_place(value, logarithmic)) continue;
    places.push_back(logarithmic ? std::log10(value) : value);
  }
  double low = places.empty() ? 0.0 : *std::ranges::min_element(places);
  double high = places.empty() ? 1.0 : *std::ranges::max_element(places);
  const double least = logarithmic ? least_decades : (high == 0.0 ? 1.0 : std::abs(high) * 1e-6);
  if (high - low < least) {
    const double middle = (low + high) / 2.0;
    low = middle - least / 2.0;
    high = middle + least / 2.0;
  }
  const double margin = (high - low) * air;
  // An axis of amounts begins at zero, not at air below it.
  const bool starts_at_zero = !logarithmic && low >= 0.0 && low < (high - low) / 2.0;
  low = starts_at_zero ? 0.0 : low - margin;
  high += margin;
  low_ = logarithmic ? std::pow(10.0, low) : low;
  high_ = logarithmic ? std::pow(10.0, high) : high;
}

std::optional<double> AxisScale::to_unit(double value) const {
  if (!has_place(value, is_logarithmic())) return std::nullopt;
  if (!is_logarithmic()) return (value - low_) / (high_ - low_);
  return std::log10(value / low_) / std::log10(high_ / low_);
}

double AxisScale::from_unit(double unit) const {
  if (!is_logarithmic()) return low_ + unit * (high_ - low_);
  return low_ * std::pow(high_ / low_, unit);
}

std::vector<Tick> AxisScale::ticks() const {
  return is_logarithmic() ? decade_ticks() : linear_ticks();
}

std::vector<Tick> AxisScale::decade_ticks() const {
  const double decades = std::log10(high_ / low_);
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / most_labelled_decades)));
  const int first = static_cast<int>(std::floor(std::log10(low_)));
  const int last = static_cast<int>(std::ceil(std::log10(high_)));
  std::vector<Tick> ticks;
  for (int decade = first; decade <= last; ++decade) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10.0, decade);
      if (value < low_ || value > high_) continue;
      const bool labelled =
          digit == 1 ? decade % stride == 0 : decades < short_range && (digit == 2 || digit == 5);
      if (!labelled && stride > 1) continue;
      ticks.push_back({value, labelled ? tick_label(value) : ""});
    }
  }
  return ticks;
}

std::vector<Tick> AxisScale::linear_ticks() const {
  const double rough = (high_ - low_) / intended_linear_ticks;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double own_step = rough / power < 1.5   ? power
                          : rough / power < 3.5 ? 2.0 * power
                          : rough / power < 7.5 ? 5.0 * power
                                                : 10.0 * power;
  const double step = whole_ ? std::max(1.0, own_step) : own_step;
  std::vector<Tick> ticks;
  const double slack = step * 1e-9;
  const double first = std::ceil((low_ - slack) / step);
  for (int i = 0; i < 4 * static_cast<int>(intended_linear_ticks); ++i) {
    const double value = (first + i) * step;
    if (value > high_ + slack) break;
    ticks.push_back({value, tick_label(value)});
  }
  return ticks;
}

std::string AxisScale::tick_label(double value) const {
  if (numbers_ == NumberStyle::si) return si(value, "");
  return format("{:.6g}", value);
}

std::string AxisScale::format_value(double value) const {
  if (numbers_ == NumberStyle::si) return si(value, unit_);
  return unit_.empty() ? format("{:.4g}", value) : format("{:.4g} {}", value, unit_);
}

AxisScale x_scale_of(const Chart& chart) {
  std::vector<double> values;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) values.push_back(point.x);
  }
  for (const Guide& guide : chart.guides) {
    append_vertices(guide, [&](Position vertex) { values.push_back(vertex.x); });
  }
  for (const VerticalGuide& guide : chart.vertical_guides) values.push_back(guide.x);
  return {chart.x, values};
}

AxisScale y_scale_of(const Chart& chart) {
  std::vector<double> values;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) {
      values.push_back(point.y);
      if (point.interval) values.insert(values.end(), {point.interval->low, point.interval->high});
    }
  }
  for (const Guide& guide : chart.guides) {
    append_vertices(guide, [&](Position vertex) { values.push_back(vertex.y); });
  }
  return {chart.y, values};
}

SharedRanges shared_ranges(std::span<const Chart> charts) {
  const auto widen = [](Range& range, const AxisScale& scale) {
    range = {std::min(range.low, scale.low()), std::max(range.high, scale.high())};
  };
  const AxisScale x = x_scale_of(charts.front());
  const AxisScale y = y_scale_of(charts.front());
  SharedRanges shared{{x.low(), x.high()}, {y.low(), y.high()}};
  for (const Chart& chart : charts.subspan(1)) {
    widen(shared.x, x_scale_of(chart));
    widen(shared.y, y_scale_of(chart));
  }
  return shared;
}

std::string title_of(const Axis& axis) {
  if (axis.unit.empty()) return safe_text(axis.label);
  return safe_text(axis.label.empty() ? axis.unit : format("{} ({})", axis.label, axis.unit));
}

}  // namespace rooflab::chart
