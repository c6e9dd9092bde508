#pragma once

namespace rooflab::predict {

/// Half-width of a normal distribution's 90 % interval in standard deviations: 5 % lie beyond it on
/// either side.
inline constexpr double quantile_of_ninety_percent = 1.645;

}  // namespace rooflab::predict
