#pragma once

#include <vector>

#include "label_placement.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

/// Half the length of a tick that represents a circle of this radius.
[[nodiscard]] constexpr double tick_arm(double radius) { return 3.0 + radius; }

/// Corners of a marker with the area of a circle of this radius (except for a tick); a circle is a
/// polygon with too many corners to be seen.
[[nodiscard]] std::vector<PixelPoint> marker_outline(Marker marker, PixelPoint center,
                                                     double radius);

}  // namespace rooflab::chart
