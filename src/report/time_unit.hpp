#pragma once

#include <string>

namespace rooflab::report {

/// The unit of an axis of time: seconds, minutes or hours.
struct TimeUnit {
  double seconds = 1.0;
  std::string name = "s";
};

/// Suits a time axis up to `longest_s`.
[[nodiscard]] inline TimeUnit time_unit_for(double longest_s) {
  if (longest_s > 3.0 * 3600.0) return {3600.0, "h"};
  if (longest_s > 600.0) return {60.0, "min"};
  return {};
}

}  // namespace rooflab::report
