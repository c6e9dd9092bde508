#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace rooflab {

/// Statistics of repeated measurements of one quantity, in the quantity's own unit.
struct Statistics {
  std::size_t count = 0;
  double median = 0.0;
  double min = 0.0;
  double max = 0.0;
  double mean = 0.0;
  double p95 = 0.0;        ///< 95th percentile, linear between neighbours (NumPy's default)
  double deviation = 0.0;  ///< sample standard deviation; 0 for one sample
  double variation = 0.0;  ///< coefficient of variation: deviation / mean; 0 for a mean of 0
  /// Interval that holds the true median with at least 95 % confidence, from order statistics
  /// (no distribution assumed); for fewer than six samples it is min to max and holds less.
  double median_low = 0.0;
  double median_high = 0.0;
};

/// Statistics of one or more finite samples, in any order.
/// Source of the interval: Hahn and Meeker, "Statistical Intervals", 1991, section 5.2.
[[nodiscard]] Statistics statistics_of(std::span<const double> samples);

/// Their median; nullopt without a sample.
[[nodiscard]] std::optional<double> median_of(std::span<const double> samples);

/// The quantile `fraction` (0 to 1) of one or more samples, linear between neighbours.
[[nodiscard]] double quantile(std::span<const double> samples, double fraction);

}  // namespace rooflab
