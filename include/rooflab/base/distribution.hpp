#pragma once

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

}  // namespace rooflab
