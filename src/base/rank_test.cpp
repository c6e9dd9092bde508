// The Mann-Whitney U test. All n + m samples are ranked together, equal ones with the mean of their
// ranks; with R the sum of the ranks of the first set, U = R - n (n + 1) / 2 counts the pairs in
// which the first set's sample is the larger.
//
// Exact, for small sets without ties: of the C(n + m, n) ways to place the first set's ranks, those
// with U = u are counted by the coefficient of q^u of the Gaussian binomial
//
//     [n + m over n]_q = product over i = 1..n of (1 - q^(m + i)) / (1 - q^i)
//
// (Andrews, "The Theory of Partitions", 1976, theorem 3.1). Up to 20 samples each, every
// coefficient is a whole number below 2^53, so that doubles count without rounding.
//
// Otherwise U is approximated as normal with mean n m / 2 and variance
//
//     n m / 12 (N + 1 - sum over ties of (t^3 - t) / (N (N - 1))),   N = n + m,
//
// t being the number of samples that share a value, and is moved half a step to its mean (the
// continuity correction). Source: Lehmann, "Nonparametrics", 1975, section 1.4.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "assert.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab {
namespace {

struct Ranked {
  double u = 0.0;
  double tie_sum = 0.0;  ///< sum of t^3 - t
};

Ranked rank(std::span<const double> a, std::span<const double> b) {
  struct Sample {
    double value;
    bool first;
  };
  std::vector<Sample> all;
  for (const double value : a) all.push_back({value, true});
  for (const double value : b) all.push_back({value, false});
  std::ranges::sort(all, {}, &Sample::value);
  Ranked result;
  double rank_sum = 0.0;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    std::size_t firsts = 0;
    while (end < all.size() && all[end].value == all[begin].value) {
      if (all[end].first) ++firsts;
      ++end;
    }
    const auto ties = static_cast<double>(end - begin);
    const double mean_rank = static_cast<double>(begin + 1 + end) / 2.0;
    rank_sum += mean_rank * static_cast<double>(firsts);
    result.tie_sum += ties * ties * ties - ties;
    begin = end;
  }
  const auto n = static_cast<double>(a.size());
  result.u = rank_sum - n * (n + 1.0) / 2.0;
  return result;
}

/// Number of arrangements for every u from 0 to n m.
std::vector<double> arrangements(std::size_t n, std::size_t m) {
  std::vector<double> counts(n * m + 1, 0.0);
  counts[0] = 1.0;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t u = counts.size(); u-- > m + i;) counts[u] -= counts[u - m - i];
    for (std::size_t u = i; u < counts.size(); ++u) counts[u] += counts[u - i];
  }
  return counts;
}

double exact_p(double u, std::size_t n, std::size_t m) {
  const std::vector<double> counts = arrangements(n, m);
  const double farther = std::min(u, static_cast<double>(n * m) - u);
  double tail = 0.0;
  double all = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    all += counts[i];
    if (static_cast<double>(i) <= farther) tail += counts[i];
  }
  return std::min(1.0, 2.0 * tail / all);
}

double normal_p(const Ranked& ranked, double n, double m) {
  const double count = n + m;
  const double variance = n * m / 12.0 * (count + 1.0 - ranked.tie_sum / (count * (count - 1.0)));
  if (variance <= 0.0) return 1.0;  // all samples are equal
  const double distance = std::max(0.0, std::abs(ranked.u - n * m / 2.0) - 0.5);
  return std::erfc(distance / std::sqrt(variance) / std::numbers::sqrt2);
}

}  // namespace

RankTest rank_test(std::span<const double> a, std::span<const double> b) {
  ROOFLAB_ASSERT(!a.empty() && !b.empty());
  constexpr std::size_t most_for_exact = 20;
  const Ranked ranked = rank(a, b);
  RankTest result;
  result.u = ranked.u;
  result.exact = ranked.tie_sum == 0.0 && std::max(a.size(), b.size()) <= most_for_exact;
  result.p_value =
      result.exact ? exact_p(ranked.u, a.size(), b.size())
                   : normal_p(ranked, static_cast<double>(a.size()), static_cast<double>(b.size()));
  return result;
}

double least_p_value(std::size_t n, std::size_t m) {
  double ways = 1.0;  // C(n + m, n)
  for (std::size_t i = 1; i <= n; ++i) {
    ways *= static_cast<double>(m + i) / static_cast<double>(i);
  }
  return 2.0 / ways;
}

}  // namespace rooflab
