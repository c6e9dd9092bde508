// Order statistics. The interval of the median: with X the number of n samples below the true
// median, X is binomial(n, 1/2); the k-th smallest and k-th largest sample enclose the median with
// probability 1 - 2 P(X < k). The largest k that keeps 95 % gives the shortest such interval.

#include "rooflab/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "assert.hpp"

namespace rooflab {
namespace {

double quantile_of_sorted(std::span<const double> sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

/// Largest k >= 1 with 2 P(X < k) <= 5 %; 1 also where no k does.
std::size_t enclosing_rank(std::size_t count) {
  constexpr double missed = 0.05;
  const auto n = static_cast<double>(count);
  double below = 0.0;  // P(X < k)
  std::size_t rank = 1;
  for (std::size_t k = 1; 2 * k <= count; ++k) {
    const auto i = static_cast<double>(k - 1);
    const double log_choices =
        std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0);
    below += std::exp(log_choices - n * std::log(2.0));
    if (2.0 * below > missed) break;
    rank = k;
  }
  return rank;
}

}  // namespace

double quantile(std::span<const double> samples, double fraction) {
  ROOFLAB_ASSERT(!samples.empty() && fraction >= 0.0 && fraction <= 1.0);
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return quantile_of_sorted(sorted, fraction);
}

std::optional<double> median_of(std::span<const double> samples) {
  return samples.empty() ? std::nullopt : std::optional(quantile(samples, 0.5));
}

Statistics statistics_of(std::span<const double> samples) {
  ROOFLAB_ASSERT(!samples.empty());
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  Statistics result;
  result.count = sorted.size();
  result.min = sorted.front();
  result.max = sorted.back();
  result.median = quantile_of_sorted(sorted, 0.5);
  result.p95 = quantile_of_sorted(sorted, 0.95);
  double sum = 0.0;
  for (const double sample : sorted) sum += sample;
  result.mean = sum / static_cast<double>(sorted.size());
  if (sorted.size() > 1) {
    double squares = 0.0;
    for (const double sample : sorted) squares += (sample - result.mean) * (sample - result.mean);
    result.deviation = std::sqrt(squares / static_cast<double>(sorted.size() - 1));
  }
  if (result.mean != 0.0) result.variation = result.deviation / std::abs(result.mean);
  const std::size_t rank = enclosing_rank(sorted.size());
  result.median_low = sorted[rank - 1];
  result.median_high = sorted[sorted.size() - rank];
  return result;
}

}  // namespace rooflab
