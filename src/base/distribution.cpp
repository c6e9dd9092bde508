// Cumulative distributions by the two incomplete functions that give them.
//
//     chi-square   P(x; k) = P(k / 2, x / 2), the regularised incomplete gamma function
//     Student      with z = k / (k + t^2):  1/2 I_z(k / 2, 1 / 2) is the tail beyond |t|,
//                  I being the regularised incomplete beta function
//     normal       erfc(-x / sqrt(2)) / 2
//
// P(a, x) is a power series below x = a + 1, where it converges fast, and 1 minus a continued
// fraction above; I_x(a, b) is a continued fraction, of the other side (1 - I_(1-x)(b, a)) where
// that converges faster. Continued fractions are evaluated by Lentz's method. Sources: Press,
// Teukolsky, Vetterling and Flannery, "Numerical Recipes", 3rd edition, 2007, sections 6.2, 6.4 and
// 5.2; Abramowitz and Stegun, "Handbook of Mathematical Functions", 1964, 26.4.19, 26.5.27, 6.5.31.
//
// A quantile is found by bisection of its distribution, which needs no guess that could be wrong;
// a figure or two of a report are worth the 100 evaluations.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "assert.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double tiny = std::numeric_limits<double>::min() / epsilon;
/// Grows with the square root of the largest argument; enough for a million degrees.
constexpr int most_terms = 20000;

double away_from_zero(double value) { return std::abs(value) < tiny ? tiny : value; }

/// P(a, x) for x below a + 1.
double gamma_series(double a, double x) {
  double term = 1.0 / a;
  double sum = term;
  for (int n = 1; n < most_terms && std::abs(term) > std::abs(sum) * epsilon; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

/// 1 - P(a, x) for x from a + 1.
double gamma_fraction(double a, double x) {
  double b = x + 1.0 - a;
  double c = 1.0 / tiny;
  double d = 1.0 / b;
  double fraction = d;
  for (int n = 1; n < most_terms; ++n) {
    const double numerator = -n * (n - a);
    b += 2.0;
    d = 1.0 / away_from_zero(numerator * d + b);
    c = away_from_zero(b + numerator / c);
    fraction *= d * c;
    if (std::abs(d * c - 1.0) <= epsilon) break;
  }
  return fraction * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

double incomplete_gamma(double a, double x) {
  if (x <= 0.0) return 0.0;
  return x < a + 1.0 ? gamma_series(a, x) : 1.0 - gamma_fraction(a, x);
}

double beta_fraction(double a, double b, double x) {
  double c = 1.0;
  double d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double fraction = d;
  const auto refine = [&](double numerator) {
    d = 1.0 / away_from_zero(1.0 + numerator * d);
    c = away_from_zero(1.0 + numerator / c);
    fraction *= d * c;
    return std::abs(d * c - 1.0) <= epsilon;
  };
  for (int m = 1; m < most_terms; ++m) {
    refine(m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)));
    if (refine(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)))) break;
  }
  return fraction;
}

/// I_x(a, b); `rest` is 1 - x, told apart because it may be too small for a difference.
double incomplete_beta(double a, double b, double x, double rest) {
  if (x <= 0.0) return 0.0;
  if (rest <= 0.0) return 1.0;
  const double factor = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                 a * std::log(x) + b * std::log(rest));
  if (x < (a + 1.0) / (a + b + 2.0)) return factor * beta_fraction(a, b, x) / a;
  return 1.0 - factor * beta_fraction(b, a, rest) / b;
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// Where a rising function passes `target`, between two places that enclose it.
template <class Function>
double solve(Function function, double target, double low, double high) {
  for (;;) {
    const double middle = low + (high - low) / 2.0;
    if (middle <= low || middle >= high) return middle;
    (function(middle) < target ? low : high) = middle;
  }
}

}  // namespace

double normal_quantile(double p) {
  ROOFLAB_ASSERT(p > 0.0 && p < 1.0);
  if (p > 0.5) return -normal_quantile(1.0 - p);
  constexpr double beyond_doubles = -39.0;
  return solve(normal_cdf, p, beyond_doubles, 0.0);
}

double chi_square_cdf(double x, double degrees) {
  ROOFLAB_ASSERT(degrees > 0.0);
  return incomplete_gamma(degrees / 2.0, x / 2.0);
}

double chi_square_quantile(double p, double degrees) {
  ROOFLAB_ASSERT(p > 0.0 && p < 1.0);
  double high = degrees + 1.0;
  while (chi_square_cdf(high, degrees) < p) high *= 2.0;
  return solve([degrees](double x) { return chi_square_cdf(x, degrees); }, p, 0.0, high);
}

double student_t_cdf(double t, double degrees) {
  ROOFLAB_ASSERT(degrees > 0.0);
  const double square = t * t;
  const double tail = 0.5 * incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + square),
                                            square / (degrees + square));
  return t < 0.0 ? tail : 1.0 - tail;
}

double student_t_quantile(double p, double degrees) {
  ROOFLAB_ASSERT(p > 0.0 && p < 1.0);
  if (p > 0.5) return -student_t_quantile(1.0 - p, degrees);
  double low = -1.0;
  while (student_t_cdf(low, degrees) > p) low *= 2.0;
  return solve([degrees](double t) { return student_t_cdf(t, degrees); }, p, low, 0.0);
}

}  // namespace rooflab
