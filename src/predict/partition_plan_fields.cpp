#include "describe/field_table.hpp"
#include "rooflab/predict/predicted_scaling.hpp"

namespace rooflab::predict {

std::span<const Field> fields_of(For<PartitionPlan>) {
  static constexpr auto fields = field_table(
      members<&PartitionPlan::cuts, &PartitionPlan::micro_batches, &PartitionPlan::micro_batch>,
      field<&PartitionPlan::sequential>("sequential_s"),
      field<&PartitionPlan::pipelined>("predicted_s"),
      field<&PartitionPlan::bubble>("bubble_share"), field<&PartitionPlan::idle>("idle_share"));
  return fields;
}

}  // namespace rooflab::predict
