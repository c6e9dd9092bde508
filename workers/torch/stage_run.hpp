#pragma once

#include "engine/stages.hpp"
#include "measurement.hpp"
#include "rooflab/record/scale_run.hpp"

namespace rooflab::torch_worker {

/// Runs a network in stages in this process. Outcomes (out of memory, unsupported) are in the run's
/// status.
[[nodiscard]] record::StageRun run_stages(const engine::StageRequest& request,
                                          const ProgressListener& progress);

}  // namespace rooflab::torch_worker
