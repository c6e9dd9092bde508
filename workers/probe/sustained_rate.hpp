#pragma once

#include <span>
#include <string>

#include "rooflab/device/calibration.hpp"

namespace rooflab::probe_worker {

/// Rate over the last `last_s` seconds of consecutive pieces of equal `work` that took `seconds`
/// each, in which power and temperature limit the clock. A piece counts if it began within these
/// seconds; all count if they took less. The value is the total work over the total time of the
/// counted pieces.
[[nodiscard]] device::MeasuredFigure sustained_rate(std::string name, std::string unit, double work,
                                                    std::span<const double> seconds, double last_s,
                                                    std::string at);

}  // namespace rooflab::probe_worker
