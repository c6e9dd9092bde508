#pragma once

#include <cmath>
#include <utility>

#include "rooflab/base/figure_key.hpp"

namespace rooflab::predict {

/// Low and high of a time, of whose logarithm `deviation` is the standard deviation: 5 % of a
/// normal distribution lie beyond 1.645 of them on either side.
[[nodiscard]] inline std::pair<Seconds, Seconds> ninety_percent_interval(double time_s,
                                                                         double deviation) {
  constexpr double quantile = 1.645;
  return {Seconds{time_s * std::exp(-quantile * deviation)},
          Seconds{time_s * std::exp(quantile * deviation)}};
}

}  // namespace rooflab::predict
