#include "marker_outline.hpp"

#include <cmath>
#include <numbers>

namespace rooflab::chart {

std::vector<PixelPoint> marker_outline(Marker marker, PixelPoint center, double radius) {
  const auto [x, y] = center;
  switch (marker) {
    case Marker::circle: {
      // The polygon's sides lie within r (1 - cos(pi / n)) of the circle: 0.13 px at most.
      const int corners = radius < 6.0 ? 16 : 24;
      std::vector<PixelPoint> outline;
      for (int i = 0; i < corners; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / corners;
        outline.push_back({x + radius * std::cos(angle), y + radius * std::sin(angle)});
      }
      return outline;
    }
    case Marker::square: {
      const double half = 0.886 * radius;  // (2 half)^2 = pi r^2
      return {
          {x - half, y - half}, {x + half, y - half}, {x + half, y + half}, {x - half, y + half}};
    }
    case Marker::diamond: {
      const double half = 1.253 * radius;  // 2 half^2 = pi r^2
      return {{x, y - half}, {x + half, y}, {x, y + half}, {x - half, y}};
    }
    case Marker::triangle:
    case Marker::triangle_down: {
      const double rim = 1.555 * radius;  // equilateral, from centre to corner: 3 sqrt(3)/4 rim^2
      const double up = marker == Marker::triangle ? -1.0 : 1.0;
      return {{x, y + up * rim},
              {x + 0.866 * rim, y - up * rim / 2.0},
              {x - 0.866 * rim, y - up * rim / 2.0}};
    }
    case Marker::cross: {
      // Two bars, each a third as wide as long: 8 arm half - 4 half^2 = pi r^2.
      const double arm = 1.189 * radius;
      const double half = arm / 3.0;
      return {{x - half, y - arm}, {x + half, y - arm}, {x + half, y - half},
              {x + arm, y - half}, {x + arm, y + half}, {x + half, y + half},
              {x + half, y + arm}, {x - half, y + arm}, {x - half, y + half},
              {x - arm, y + half}, {x - arm, y - half}, {x - half, y - half}};
    }
    case Marker::tick: {
      constexpr double half = 1.25;  // of its thickness, whatever the weight
      const double arm = tick_arm(radius);
      return {{x - arm, y - half}, {x + arm, y - half}, {x + arm, y + half}, {x - arm, y + half}};
    }
  }
  return {};
}

}  // namespace rooflab::chart
