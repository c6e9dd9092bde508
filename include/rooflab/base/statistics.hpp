#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rooflab {

// Distributions for the intervals and tests of small samples. A quantile is the value below which
// lies the probability `p`, with 0 < p < 1; `degrees` of freedom are above 0. Accurate to about
// ten digits.

/// Quantile of the standard normal distribution.
[[nodiscard]] double normal_quantile(double p);

/// Probability of a chi-square variable below `x`.
[[nodiscard]] double chi_square_cdf(double x, double degrees);
[[nodiscard]] double chi_square_quantile(double p, double degrees);

/// Probability of Student's t below `t`.
[[nodiscard]] double student_t_cdf(double t, double degrees);
[[nodiscard]] double student_t_quantile(double p, double degrees);

/// `above` over `below`; nullopt if one is missing, or if the divisor is not above zero.
[[nodiscard]] inline std::optional<double> quotient(const std::optional<double>& above,
                                                    const std::optional<double>& below) {
  if (!above || !below || *below <= 0.0) return std::nullopt;
  return *above / *below;
}

/// Adds a part to a sum; the sum becomes nullopt if a part is.
inline void add_part(std::optional<double>& sum, const std::optional<double>& part) {
  sum = sum && part ? std::optional(*sum + *part) : std::nullopt;
}

/// Result of a rank test on two sets of samples.
struct RankTest {
  double u = 0.0;  ///< U of the first set: pairs in which its sample is the larger; ties count half
  /// Probability of a `u` at least as far from its mean when both sets come from one distribution.
  double p_value = 1.0;
  bool exact = false;  ///< true: counted; false: by the normal approximation
};

/// A probability below this is called significant.
inline constexpr double significance_level = 0.05;

/// Two-sided Mann-Whitney U test of two sets of one or more finite samples, in any order: do the
/// values of one tend to be larger? No distribution is assumed, and outliers weigh no more than
/// their rank.
/// Source: Mann and Whitney, "On a test of whether one of two random variables is stochastically
/// larger than the other", Annals of Mathematical Statistics 18 (1947) 50-60.
[[nodiscard]] RankTest rank_test(std::span<const double> a, std::span<const double> b);

/// The smallest p-value that n and m samples can give: all of one set above all of the other, one
/// of C(n + m, n) arrangements on either side. If it exceeds a level, nothing is significant.
[[nodiscard]] double least_p_value(std::size_t n, std::size_t m);

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

/// Median of the samples; nullopt without a sample.
[[nodiscard]] std::optional<double> median_of(std::span<const double> samples);

/// The quantile `fraction` (0 to 1) of one or more samples, linear between neighbours.
[[nodiscard]] double quantile(std::span<const double> samples, double fraction);

/// An interval of time on some clock; the end is exclusive.
struct TimeInterval {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }

  friend bool operator==(const TimeInterval&, const TimeInterval&) = default;
};

/// Intervals that do not touch each other, sorted by start: a set of points in time.
using IntervalSet = std::vector<TimeInterval>;

/// Adds to the set an interval that does not start before any interval added earlier.
void extend(IntervalSet& set, TimeInterval next);

/// The union of intervals in any order.
[[nodiscard]] IntervalSet union_of(std::vector<TimeInterval> intervals);
[[nodiscard]] IntervalSet intersection_of(std::span<const TimeInterval> a,
                                          std::span<const TimeInterval> b);
/// The part of `a` that is not in `b`.
[[nodiscard]] IntervalSet difference_of(std::span<const TimeInterval> a,
                                        std::span<const TimeInterval> b);

[[nodiscard]] std::int64_t total_ns(std::span<const TimeInterval> set);
/// Total length of the set within the window, in ns; finding the window takes logarithmic time.
[[nodiscard]] std::int64_t total_within_ns(std::span<const TimeInterval> set, TimeInterval window);

}  // namespace rooflab
