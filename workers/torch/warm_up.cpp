#include "warm_up.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "rooflab/base/statistics.hpp"

namespace rooflab::torch_worker {

void WarmUp::add(double step_s, double elapsed_s) {
  constexpr double long_step_s = 0.3;
  constexpr double settled = 0.02;
  constexpr double least_s = 0.5;
  times_.push_back(step_s);
  elapsed_s_ = elapsed_s;
  const std::size_t window = times_.front() > long_step_s ? 2 : 5;
  if (times_.size() >= 2 * window) {
    const std::span<const double> all(times_);
    const double before = quantile(all.subspan(times_.size() - 2 * window, window), 0.5);
    const double now = quantile(all.last(window), 0.5);
    stable_ = std::abs(now - before) <= settled * now;
  }
  const bool long_enough = elapsed_s >= std::min(least_s, longest_s_);
  enough_ = (stable_ && long_enough) || elapsed_s >= longest_s_;
}

double WarmUp::done() const { return std::min(1.0, elapsed_s_ / std::max(longest_s_, 1e-9)); }

double WarmUp::median_s() const { return quantile(times_, 0.5); }

}  // namespace rooflab::torch_worker
