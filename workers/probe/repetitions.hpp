#pragma once

#include <functional>
#include <string>

#include "rooflab/base/statistics.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::probe_worker {

/// Plan for repeating a measurement.
struct RepetitionPlan {
  double warm_up_s = 0.3;    ///< longest warm-up; 0: none
  double agreement = 0.01;   ///< relative difference of two windows' medians that ends the warm-up
  std::size_t window = 5;    ///< repetitions per window
  std::size_t least = 7;     ///< smallest number of measured repetitions
  double measured_s = 0.2;   ///< duration of the measured repetitions
  std::size_t most = 10000;  ///< largest number of measured repetitions
};

/// Repeats `once`, which does the work and returns its seconds per unit of work, until it is warm,
/// then as often as planned. The warm-up is not part of the figures.
[[nodiscard]] Statistics repeat(const std::function<double()>& once, const RepetitionPlan& plan);

/// Figure of `work` (bytes, operations) per second: the median time gives the value, the shortest
/// time the largest value. Times must be above 0.
[[nodiscard]] device::MeasuredFigure rate(std::string name, std::string unit, double work,
                                          const Statistics& times, std::string at);

/// Figure of the times themselves, in s.
[[nodiscard]] device::MeasuredFigure duration(std::string name, const Statistics& times,
                                              std::string at);

}  // namespace rooflab::probe_worker
