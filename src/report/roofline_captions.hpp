#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/roofline.hpp"

namespace rooflab::report {

/// The roofs of a chart: those of the roofline's paths whose peak the device has. None without a
/// bandwidth.
struct DrawnRoof {
  ArithmeticPath path = {};
  double peak = 0.0;   ///< FLOP/s
  double ridge = 0.0;  ///< FLOP/B
};
[[nodiscard]] std::vector<DrawnRoof> drawn_roofs(const analyze::Roofline& roofline);

/// min(highest peak, intensity x bandwidth) in FLOP/s; nullopt without roofs.
[[nodiscard]] std::optional<double> highest_roof(const analyze::Roofline& roofline,
                                                 double intensity);

/// Where a point lies against the roofs, for points that no model gives a bound: `left of the ridge
/// point`, `right of the ridge point of FP32, left of that of TF32 tensor`. Empty without roofs.
[[nodiscard]] std::string place_against_ridges(const analyze::Roofline& roofline, double intensity);

/// The device's figures with their source, what each kind of point is, what has no place on the
/// chart, and which points lie above their highest roof with what can cause that.
[[nodiscard]] std::vector<std::string> roofline_captions(const analyze::Roofline& roofline);

}  // namespace rooflab::report
