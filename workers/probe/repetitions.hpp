#pragma once

#include <functional>
#include <string>

#include "rooflab/base/statistics.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::probe_worker {

/// How often something is done before its time is believed.
struct RepetitionPlan {
  double warm_up_s = 0.3;    ///< at most; 0: none
  double agreement = 0.01;   ///< agreement of the medians of two windows: warm enough
  std::size_t window = 5;    ///< repetitions whose median is taken
  std::size_t least = 7;     ///< measured repetitions, however long they take
  double measured_s = 0.2;   ///< they go on for this long
  std::size_t most = 10000;  ///< but are never more
};

/// `once` does the work and gives the seconds that one piece of it took. Repeats it until it is
/// warm, then as often as planned; what the warm-up took is in no figure.
[[nodiscard]] Statistics repeat(const std::function<double()>& once, const RepetitionPlan& plan);

/// `work` (bytes, operations) a second: the median time gives the value, the shortest the most.
/// Times are above 0.
[[nodiscard]] device::MeasuredFigure rate(std::string name, std::string unit, double work,
                                          const Statistics& times, std::string at);

/// The times themselves, in s.
[[nodiscard]] device::MeasuredFigure duration(std::string name, const Statistics& times,
                                              std::string at);

}  // namespace rooflab::probe_worker
