#include "rooflab/record/record.hpp"

#include <algorithm>

namespace rooflab::record {

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
