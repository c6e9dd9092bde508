#pragma once

#include <vector>

#include "axis_scale.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

/// A place in the plot: (0, 0) is its lower left corner, (1, 1) its upper right one.
struct UnitPoint {
  double x = 0.0;
  double y = 0.0;
};

/// The visible parts of a guide in a box: connected pieces, each with two vertices or more.
using GuidePath = std::vector<std::vector<UnitPoint>>;

/// Path of a guide with extended ends, clipped to the box from (-beyond, -beyond) to (1 + beyond, 1
/// + beyond). Vertices without a place on the axes are skipped.
[[nodiscard]] GuidePath path_of(const Guide& guide, const AxisScale& x, const AxisScale& y,
                                double beyond = 0.0);

}  // namespace rooflab::chart
