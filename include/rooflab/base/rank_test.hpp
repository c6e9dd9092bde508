#pragma once

#include <cstddef>
#include <span>

namespace rooflab {

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

}  // namespace rooflab
