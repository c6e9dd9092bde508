#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

/// Uses only the standard library, because it is part of the injected library too.
namespace rooflab::profile {

/// Moments of values of some of N equal launches, from which the sum over all N is estimated
/// (Cochran, Sampling Techniques, 3rd edition, 1977, (2.20); mean and squares by Welford's method:
/// Knuth, The Art of Computer Programming 2, 4.2.2):
///
///     sum = N mean        error^2 = N^2 s^2 / n (1 - n / N)
struct SampleMoments {
  std::int64_t count = 0;  ///< n
  double mean = 0.0;
  double squares = 0.0;  ///< sum of the squared differences from the mean

  void add(double value) {
    const double from_mean = value - mean;
    mean += from_mean / static_cast<double>(++count);
    squares += from_mean * (value - mean);
  }

  /// Estimated sum over all launches; nullopt: no value.
  [[nodiscard]] std::optional<double> sum(double launches) const {
    return count == 0 ? std::nullopt : std::optional(launches * mean);
  }
  /// Standard error of the sum; nullopt: one value of several launches, or none.
  [[nodiscard]] std::optional<double> error(double launches) const {
    if (count == 0 || (count == 1 && launches > 1.0)) return std::nullopt;
    const auto counted = static_cast<double>(count);
    if (counted >= launches) return 0.0;
    return launches * std::sqrt(squares / (counted - 1.0) / counted * (1.0 - counted / launches));
  }
};

}  // namespace rooflab::profile
