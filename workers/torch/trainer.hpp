#pragma once

#include <filesystem>

#include "measurement.hpp"
#include "rooflab/engine/worker.hpp"

namespace rooflab::torch_worker {

/// Trains in this process and keeps `run_file` and the request's folder up to date; outcomes (out
/// of memory, data that cannot be read, a loss that is not a number) are in the run's status.
/// SIGTERM ends it after the current step, with a checkpoint. Throws Error (input), and changes
/// nothing, when the folder's run cannot be resumed by this request.
void train(const engine::TrainingRequest& request, const std::filesystem::path& run_file,
           const ProgressListener& progress);

}  // namespace rooflab::torch_worker
