#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace rooflab::chart {

/// The unit of an axis of time: seconds, minutes or hours.
struct TimeUnit {
  double seconds = 1.0;
  std::string name = "s";
};

/// Unit for a time axis up to `longest_s`.
[[nodiscard]] inline TimeUnit time_unit_for(double longest_s) {
  if (longest_s > 3.0 * 3600.0) return {3600.0, "h"};
  if (longest_s > 600.0) return {60.0, "min"};
  return {};
}

/// Largest number of points of a line, about as many as the plot has pixels.
inline constexpr std::size_t most_points = 1200;

/// Reduces the points of a line that has too many: keeps the lowest and the highest of each of many
/// equal intervals, in their order, to preserve peaks.
template <class Point, class Value>
[[nodiscard]] std::vector<Point> thinned(const std::vector<Point>& points, Value value_of) {
  if (points.size() <= most_points) return points;
  constexpr std::size_t stretches = most_points / 2;
  const auto place = [&points](std::size_t stretch) {
    return points.begin() + static_cast<std::ptrdiff_t>(stretch * points.size() / stretches);
  };
  std::vector<Point> kept;
  for (std::size_t i = 0; i < stretches; ++i) {
    // An unknown value counts as below all others, so that gaps are kept.
    const auto [low, high] = std::minmax_element(
        place(i), place(i + 1),
        [&value_of](const Point& a, const Point& b) { return value_of(a) < value_of(b); });
    kept.push_back(*std::min(low, high));
    if (low != high) kept.push_back(*std::max(low, high));
  }
  return kept;
}

}  // namespace rooflab::chart
