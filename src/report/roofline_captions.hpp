#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/roofline_points.hpp"

namespace rooflab::report {

/// A roof of a chart, for a path of the roofline whose peak the device has. Without a bandwidth a
/// chart has no roofs.
struct DrawnRoof {
  ArithmeticPath path = {};
  double peak = 0.0;   ///< FLOP/s
  double ridge = 0.0;  ///< FLOP/B
};
[[nodiscard]] std::vector<DrawnRoof> drawn_roofs(const analyze::Roofline& roofline);

/// Attainable FLOP/s below the highest roof, min(highest peak, intensity x bandwidth); nullopt
/// without roofs.
[[nodiscard]] std::optional<double> highest_roof(const analyze::Roofline& roofline,
                                                 double intensity);

/// Place of a point relative to the ridge points, for points without a bound from a model: `left of
/// the ridge point`, `right of the ridge point of FP32, left of that of TF32 tensor`. Empty without
/// roofs.
[[nodiscard]] std::string place_against_ridges(const analyze::Roofline& roofline, double intensity);

/// Captions: the device's figures with their source, the meaning of each kind of point, points
/// without a place on the chart, and points above their highest roof with possible causes.
[[nodiscard]] std::vector<std::string> roofline_captions(const analyze::Roofline& roofline);

}  // namespace rooflab::report
