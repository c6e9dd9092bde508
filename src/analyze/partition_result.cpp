#include "rooflab/analyze/partition_result.hpp"

#include "rooflab/base/quotient.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::analyze {

std::optional<double> PartitionResult::measured_step_s() const {
  return run ? median_of(run->steps_s) : std::nullopt;
}

std::optional<double> PartitionResult::ratio() const {
  if (!outcome.plan) return std::nullopt;
  return quotient(outcome.plan->pipelined.value, measured_step_s());
}

std::optional<double> PartitionResult::samples_per_s() const {
  std::optional<double> step = measured_step_s();
  if (!step && outcome.plan) step = outcome.plan->pipelined.value;
  return quotient(static_cast<double>(batch), step);
}

std::vector<PartitionStage> PartitionResult::stages() const {
  std::vector<PartitionStage> stages;
  if (!outcome.plan) return stages;
  const bool ran = run && run->status == record::Status::ok;
  for (const predict::PlannedStage& planned : outcome.plan->stages) {
    const std::size_t i = stages.size();
    PartitionStage& stage = stages.emplace_back();
    stage.number = static_cast<std::int64_t>(i);
    stage.planned = planned;
    const int micro_batches = outcome.plan->micro_batches;
    for (Seconds* time :
         {&stage.planned.forward, &stage.planned.backward, &stage.planned.transfer}) {
      time->value *= micro_batches;
    }
    stage.planned.received = planned.received * micro_batches;
    stage.planned.returned = planned.returned * micro_batches;
    if (ran && i < run->stages.size()) stage.run = run->stages[i];
  }
  return stages;
}

std::vector<PartitionDevice> PartitionResult::stage_devices() const {
  std::vector<PartitionDevice> rows;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    rows.push_back({devices[i], memory[i], outcome.least_memory});
  }
  return rows;
}

}  // namespace rooflab::analyze
