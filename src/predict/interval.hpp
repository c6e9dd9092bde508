#pragma once

namespace rooflab::predict {

/// Standard deviations from the mean of a normal distribution beyond which 5 % lie, on either side
/// of an interval of 90 %.
inline constexpr double quantile_of_ninety_percent = 1.645;

}  // namespace rooflab::predict
