#pragma once

#include <span>
#include <string>

#include "rooflab/device/calibration.hpp"

namespace rooflab::probe_worker {

/// The rate over the last `last_s` seconds of pieces of equal `work` that followed each other and
/// took `seconds` each: what is left once power and heat have their say. A piece counts when it
/// began within them; all count where they took less. Value: all their work over all their time.
[[nodiscard]] device::MeasuredFigure sustained_rate(std::string name, std::string unit, double work,
                                                    std::span<const double> seconds, double last_s,
                                                    std::string at);

}  // namespace rooflab::probe_worker
