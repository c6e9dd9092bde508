#pragma once

#include <span>
#include <string_view>

#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {

/// All ops of one shape in a step.
struct ShapeShare {
  OpShape shape;        ///< shape in the schedule
  OpEstimate estimate;  ///< time and deviation of one such op
  double time_s = 0.0;  ///< sum over these ops
};

/// Distance of two shapes of one op in log2 of their sizes: the root of the sum of squares.
[[nodiscard]] double octaves_between(const OpShape& one, const OpShape& other);

/// Correlation of the errors of two ops of probed kinds: 1 for equal shapes, smaller with more
/// octaves between their sizes, 0 for different kinds of op. The essay is at the head of
/// step_uncertainty.cpp.
[[nodiscard]] double error_correlation(const OpShape& one, const OpShape& other);

/// Variance of the logarithm of the device's time, `device_s` seconds in total. `target`: id of the
/// device.
[[nodiscard]] double device_variance(std::span<const ShapeShare> shapes, double device_s,
                                     std::string_view target);

}  // namespace rooflab::predict
