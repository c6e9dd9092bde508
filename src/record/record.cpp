#include "rooflab/record/record.hpp"

#include <algorithm>

#include "rooflab/base/statistics.hpp"

namespace rooflab::record {

std::optional<double> Timing::median_s() const {
  return steps_s.empty() ? std::nullopt : std::optional(quantile(steps_s, 0.5));
}

double LayerTimes::forward_sum_s() const {
  double sum = 0.0;
  for (const NodeTiming& node : nodes) sum += node.forward_s;
  return sum;
}

std::optional<double> LayerTimes::synchronization_s() const {
  if (!synchronized_sum_s || !forward_whole_s) return std::nullopt;
  return *synchronized_sum_s - *forward_whole_s;
}

std::int64_t LayerTimes::waits() const {
  return std::ranges::count_if(
      nodes, [](const NodeTiming& node) { return node.synchronized_s.has_value(); });
}

}  // namespace rooflab::record
