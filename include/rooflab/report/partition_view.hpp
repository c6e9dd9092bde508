#pragma once

#include "rooflab/analyze/partition_result.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// A row a stage, of the `plan.stages` of a partition's JSON.
[[nodiscard]] Table stage_table(const Json& stages);

/// The stages of a partition with their times, transfers and memory, measured figures beside the
/// planned ones, then the step; or the least memory that a partition needs.
[[nodiscard]] Document partition_view(const analyze::PartitionResult& result);

}  // namespace rooflab::report
