#include "rooflab/record/scale_run.hpp"

#include <algorithm>

#include "rooflab/base/statistics.hpp"

namespace rooflab::record {

std::optional<double> ScaleRun::step_s() const {
  std::optional<double> slowest;
  for (const RankResult& rank : ranks) {
    if (rank.steps_s.empty()) continue;
    slowest = std::max(slowest.value_or(0.0), quantile(rank.steps_s, 0.5));
  }
  return slowest;
}

std::optional<double> ScaleRun::samples_per_s() const {
  const std::optional<double> step = step_s();
  if (!step || *step <= 0.0) return std::nullopt;
  return static_cast<double>(global_batch()) / *step;
}

}  // namespace rooflab::record
