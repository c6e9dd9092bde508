#pragma once

#include <vector>

#include "label_placement.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

/// The corners of a marker with the area of a circle of that radius; a circle is a polygon
/// whose corners are too many to be visible.
[[nodiscard]] std::vector<PixelPoint> marker_outline(Marker marker, PixelPoint center,
                                                     double radius);

}  // namespace rooflab::chart
