#pragma once

#include <vector>

#include "label_placement.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

/// Half the length of a tick that stands for a circle of that radius.
[[nodiscard]] constexpr double tick_arm(double radius) { return 3.0 + radius; }

/// The corners of a marker with the area of a circle of that radius, a tick's but for its area; a
/// circle is a polygon whose corners are too many to be visible.
[[nodiscard]] std::vector<PixelPoint> marker_outline(Marker marker, PixelPoint center,
                                                     double radius);

}  // namespace rooflab::chart
