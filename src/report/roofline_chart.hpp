#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rooflab/analyze/roofline_points.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::report {

/// Shape of points of a kind on every chart.
[[nodiscard]] chart::Marker marker_of(analyze::PointKind kind);

/// A roofline as a chart: log-log, the memory slope, one flat roof and ridge point for each
/// arithmetic path. The hue shows the network, the shape the kind of point: a tick for the limit, a
/// disc with its interval for a prediction, a diamond for a measurement, a triangle on its tip for
/// counters. The area is the share of time, except for points that are whole cases. Points with
/// more than 3 % of the time have a label. The captions list the device's figures with their
/// sources, explain the kinds of points, and name points above their roof and points without a
/// place on the chart.
///
/// `networks`: all networks of the page, in the order of their hues; empty: those of the roofline.
[[nodiscard]] chart::Chart roofline_chart(const analyze::Roofline& roofline,
                                          std::span<const std::string> networks = {});

}  // namespace rooflab::report
