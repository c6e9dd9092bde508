#include "guide_path.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

namespace rooflab::chart {
namespace {

struct UnitSegment {
  UnitPoint from;
  UnitPoint to;
};

/// Liang-Barsky clipping to the square [low, high]^2, edges included.
std::optional<UnitSegment> clip(const UnitSegment& segment, double low, double high) {
  double enter = 0.0;
  double leave = 1.0;
  const double dx = segment.to.x - segment.from.x;
  const double dy = segment.to.y - segment.from.y;
  const auto narrow = [&](double from, double delta) {
    if (delta == 0.0) return low <= from && from <= high;
    const double at_low = (low - from) / delta;
    const double at_high = (high - from) / delta;
    enter = std::max(enter, std::min(at_low, at_high));
    leave = std::min(leave, std::max(at_low, at_high));
    return enter < leave;
  };
  if (!narrow(segment.from.x, dx) || !narrow(segment.from.y, dy)) return std::nullopt;
  const auto at = [&](double share) {
    return UnitPoint{segment.from.x + share * dx, segment.from.y + share * dy};
  };
  return UnitSegment{enter == 0.0 ? segment.from : at(enter),
                     leave == 1.0 ? segment.to : at(leave)};
}

/// `end` moved away from `inner` until it is out of any box in question.
UnitPoint extended(UnitPoint inner, UnitPoint end, double beyond) {
  const double dx = end.x - inner.x;
  const double dy = end.y - inner.y;
  const double length = std::hypot(dx, dy);
  if (length == 0.0) return end;
  const double distance = std::hypot(end.x, end.y) + 4.0 * (1.0 + beyond);
  return {end.x + dx / length * distance, end.y + dy / length * distance};
}

}  // namespace

GuidePath path_of(const Guide& guide, const AxisScale& x, const AxisScale& y, double beyond) {
  std::vector<UnitPoint> vertices;
  for (const Position& vertex : guide.line) {
    const std::optional<double> unit_x = x.to_unit(vertex.x);
    const std::optional<double> unit_y = y.to_unit(vertex.y);
    if (unit_x && unit_y) vertices.push_back({*unit_x, *unit_y});
  }
  if (vertices.size() < 2) return {};
  const std::size_t last = vertices.size() - 1;
  if (guide.extend_start) vertices[0] = extended(vertices[1], vertices[0], beyond);
  if (guide.extend_end) vertices[last] = extended(vertices[last - 1], vertices[last], beyond);

  GuidePath path;
  bool continues = false;
  for (std::size_t i = 0; i < last; ++i) {
    const auto segment = clip({vertices[i], vertices[i + 1]}, -beyond, 1.0 + beyond);
    if (!segment) {
      continues = false;
      continue;
    }
    if (!continues) path.push_back({segment->from});
    path.back().push_back(segment->to);
    continues = segment->to.x == vertices[i + 1].x && segment->to.y == vertices[i + 1].y;
  }
  return path;
}

}  // namespace rooflab::chart
