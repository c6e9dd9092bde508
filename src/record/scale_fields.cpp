#include "rooflab/base/field_table.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/record/scale_run.hpp"
#include "rooflab/record/stage_run.hpp"

namespace rooflab::record {

std::span<const Field> fields_of(For<RankKernels>) {
  static constexpr Field fields[] = {
      field<&RankKernels::step_s>("step_s"),
      field<&RankKernels::kernel_s>("kernel_s"),
      field<&RankKernels::communication_s>("communication_s"),
      field<&RankKernels::hidden_s>("hidden_s"),
      field<&RankKernels::busy>("busy_share"),
      field<&RankKernels::sm_efficiency>("sm_efficiency_share"),
      field<&RankKernels::occupancy>("occupancy_share"),
  };
  return fields;
}

std::span<const Field> fields_of(For<RankResult>) {
  static constexpr Field fields[] = {
      field<&RankResult::rank>("rank"),
      field<&RankResult::host>("host"),
      field<&RankResult::device>("device"),
      field<&RankResult::steps_s>("steps_s"),
      field<&RankResult::alone_s>("alone_s"),
      field<&RankResult::exchange_s>("exchange_s"),
      field<&RankResult::kernels>("kernels"),
      field<&RankResult::samples>("sample_series"),
      field<&RankResult::allocated_peak>("allocated_peak_bytes"),
      field<&RankResult::message>("message"),
  };
  return fields;
}

std::span<const Field> fields_of(For<ScaleRun>) {
  static constexpr Field fields[] = {
      field<&ScaleRun::identity>("identity"),
      field<&ScaleRun::ranks_wanted>("ranks_wanted").at_least(1),
      field<&ScaleRun::backend>("backend"),
      field<&ScaleRun::status>("status"),
      field<&ScaleRun::message>("message"),
      field<&ScaleRun::environment>("environment"),
      field<&ScaleRun::bucket_bytes>("bucket_bytes"),
      field<&ScaleRun::ranks>("ranks"),
      field<&ScaleRun::warnings>("warnings"),
  };
  return fields;
}

std::span<const Field> fields_of(For<StageResult>) {
  static constexpr Field fields[] = {
      field<&StageResult::first>("first"),
      field<&StageResult::last>("last"),
      field<&StageResult::device>("device"),
      field<&StageResult::time_s>("time_s"),
      field<&StageResult::transfer_s>("transfer_s"),
      field<&StageResult::received>("received_bytes"),
      field<&StageResult::allocated_peak>("allocated_peak_bytes"),
  };
  return fields;
}

std::span<const Field> fields_of(For<StageRun>) {
  static constexpr Field fields[] = {
      field<&StageRun::identity>("identity"),
      field<&StageRun::cuts>("cuts"),
      field<&StageRun::micro_batches>("micro_batches"),
      field<&StageRun::status>("status"),
      field<&StageRun::message>("message"),
      field<&StageRun::environment>("environment"),
      field<&StageRun::steps_s>("steps_s"),
      field<&StageRun::stages>("stages"),
      field<&StageRun::warnings>("warnings"),
  };
  return fields;
}

FileKind file_kind_of(For<ScaleRun>) {
  return {"scale_run", "data-parallel run", "`rooflab scale -o DIR` writes them"};
}

FileKind file_kind_of(For<StageRun>) { return {"stage_run", "run in stages", ""}; }

}  // namespace rooflab::record
