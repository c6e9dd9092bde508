#pragma once

#include <vector>

#include "measurement.hpp"
#include "rooflab/engine/worker.hpp"

namespace rooflab::torch_worker {

/// Evaluates every checkpoint on the data's test images. Throws Error (input) for a file that is
/// not a checkpoint and for data with a class that a model does not know, and Unsupported for work
/// that the device does not support.
[[nodiscard]] std::vector<record::Evaluation> evaluate(const engine::EvaluationRequest& request,
                                                       const ProgressListener& progress);

}  // namespace rooflab::torch_worker
