#include "base/field_table.hpp"
#include "rooflab/predict/scaling.hpp"

namespace rooflab::predict {

std::span<const Field> fields_of(For<PartitionPlan>) {
  static constexpr Field fields[] = {field<&PartitionPlan::cuts>("cuts"),
                                     field<&PartitionPlan::micro_batches>("micro_batches"),
                                     field<&PartitionPlan::micro_batch>("micro_batch"),
                                     field<&PartitionPlan::sequential>("sequential_s"),
                                     field<&PartitionPlan::pipelined>("predicted_s"),
                                     field<&PartitionPlan::bubble>("bubble_share"),
                                     field<&PartitionPlan::idle>("idle_share")};
  return fields;
}

}  // namespace rooflab::predict
