#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rooflab/analyze/roofline.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::report {

/// The shape that points of a kind have on every chart.
[[nodiscard]] chart::Marker marker_of(analyze::PointKind kind);

/// A roofline as a chart: log-log, the memory slope, one flat roof and ridge point for each
/// arithmetic path. The hue is the network, the shape says how far a point is observed: the limit a
/// tick, a prediction a disc with its interval, a measurement a diamond, counters a triangle on its
/// tip. The area is the share of time, but where a point is a whole case. What has over 3 % of the
/// time has a label. The captions name the device's figures with their sources, explain the kinds
/// of points that occur, name points above their roof and say what has no place on the chart.
///
/// `networks`: all of the page, in the order of their hues; empty: those of the roofline.
[[nodiscard]] chart::Chart roofline_chart(const analyze::Roofline& roofline,
                                          std::span<const std::string> networks = {});

}  // namespace rooflab::report
