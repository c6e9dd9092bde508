#include "rooflab/analyze/partition_result.hpp"

#include "rooflab/base/quotient.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::analyze {

std::optional<double> PartitionResult::measured_step_s() const {
  if (!run || run->steps_s.empty()) return std::nullopt;
  return statistics_of(run->steps_s).median;
}

std::optional<double> PartitionResult::ratio() const {
  if (!outcome.plan) return std::nullopt;
  return quotient(outcome.plan->pipelined.value, measured_step_s());
}

}  // namespace rooflab::analyze
