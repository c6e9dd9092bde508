#include "rooflab/analyze/fit_result.hpp"

#include <numeric>

namespace rooflab::analyze {

void add_ratios(FitResult& result) {
  for (FitPoint& point : result.points) {
    point.ratio.reset();
    if (point.counts.empty() || point.found.empty()) continue;
    // A range that ends before the boundary says nothing about it.
    if (point.end_of_range || point.found_end_of_range) continue;
    const auto sum = [](const std::vector<std::int64_t>& counts) {
      return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    };
    if (sum(point.found) > 0.0) point.ratio = sum(point.counts) / sum(point.found);
  }
}

}  // namespace rooflab::analyze
