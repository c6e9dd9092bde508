#include "rooflab/record/scale_run.hpp"

#include <algorithm>

#include "describe/field_table.hpp"
#include "describe/schema.hpp"
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

std::span<const Field> fields_of(For<RankKernels>) {
  static constexpr auto fields = field_table(
      field<&RankKernels::step_s>(), field<&RankKernels::kernel_s>().says("Their sum over a step."),
      members<&RankKernels::communication_s, &RankKernels::hidden_s>,
      field<&RankKernels::busy>("busy_share"),
      field<&RankKernels::sm_efficiency>("sm_efficiency_share"),
      field<&RankKernels::occupancy>("occupancy_share"));
  return fields;
}

std::span<const Field> fields_of(For<RankResult>) {
  static constexpr auto fields = field_table(
      field<&RankResult::rank>(), field<&RankResult::host>("host_name"),
      members<&RankResult::device, &RankResult::steps_s, &RankResult::alone_s,
              &RankResult::exchange_s, &RankResult::kernels>,
      field<&RankResult::samples>("sample_series"),
      members<&RankResult::allocated_peak, &RankResult::reserved_peak, &RankResult::message>);
  return fields;
}

std::span<const Field> fields_of(For<ScaleRun>) {
  static constexpr auto fields = field_table(
      field<&ScaleRun::identity>(), field<&ScaleRun::ranks_wanted>().at_least(1),
      members<&ScaleRun::backend, &ScaleRun::status, &ScaleRun::message, &ScaleRun::environment,
              &ScaleRun::bucket_bytes, &ScaleRun::ranks, &ScaleRun::warnings>);
  return fields;
}

std::span<const Field> fields_of(For<StageResult>) {
  static constexpr auto fields = field_table(
      field<&StageResult::first>("first_node"), field<&StageResult::last>("last_node"),
      members<&StageResult::device, &StageResult::time_s>,
      field<&StageResult::transfer_s>().says("In a step: what the stage receives and gives back."),
      members<&StageResult::received, &StageResult::allocated_peak>);
  return fields;
}

std::span<const Field> fields_of(For<StageRun>) {
  return members<&StageRun::identity, &StageRun::cuts, &StageRun::micro_batches, &StageRun::status,
                 &StageRun::message, &StageRun::environment, &StageRun::steps_s, &StageRun::stages,
                 &StageRun::warnings>;
}

FileKind file_kind_of(For<ScaleRun>) {
  return {"scale_run", "data-parallel run", "`rooflab scale -o DIR` writes them"};
}

FileKind file_kind_of(For<StageRun>) { return {"stage_run", "run in stages", ""}; }

}  // namespace rooflab::record
