#pragma once

#include "rooflab/analyze/roofline.hpp"
#include "rooflab/chart/chart.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::report {

/// Adds what the device was measured to do to a chart of its datasheet's roofs, as dashed guides
/// labelled `measured`: the memory's slope, and a flat roof for each of the roofline's paths that
/// was measured. A caption lists the figures with their shares of the datasheet's. Returns how many
/// guides were added: none where the calibration has no such figure.
int add_measured_roofs(const analyze::Roofline& roofline, const device::Calibration& calibration,
                       chart::Chart& chart);

}  // namespace rooflab::report
