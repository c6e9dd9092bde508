#pragma once

#include "rooflab/analyze/roofline.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::report {

/// A roofline as a chart: log-log, the memory slope, one flat roof and ridge point for each
/// arithmetic path, points by network (colour) sized by their share of the time. The shape tells
/// how far a point is observed: modelled circle or square, timed diamond or triangle, counted
/// triangle on its tip or cross. The captions name the device's figures with their sources, explain
/// the kinds of points that occur, name points above their roof and say what has no place on the
/// chart.
[[nodiscard]] chart::Chart roofline_chart(const analyze::Roofline& roofline);

}  // namespace rooflab::report
