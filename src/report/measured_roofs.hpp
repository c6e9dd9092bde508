#pragma once

#include "rooflab/analyze/roofline_points.hpp"
#include "rooflab/chart/chart.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::report {

/// Adds the device's measured roofs to a chart of its datasheet's roofs, as dashed guides labelled
/// `measured`: the memory's slope, and a flat roof for each measured path of the roofline. A
/// caption lists the figures with their shares of the datasheet's. Returns the number of added
/// guides: 0 where the calibration has no such figure.
int add_measured_roofs(const analyze::Roofline& roofline, const device::Calibration& calibration,
                       chart::Chart& chart);

}  // namespace rooflab::report
