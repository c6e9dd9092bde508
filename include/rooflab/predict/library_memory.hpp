#pragma once

#include "rooflab/predict/memory_model.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {

/// Workspaces of a schedule's ops from a calibration, and the process's other memory. For the
/// calibrated device itself: workspaces belong to a library's kernels for one architecture and are
/// not carried over to another device (nullopt).
[[nodiscard]] std::optional<LibraryMemory> library_memory(const schedule::Schedule& schedule,
                                                          const TimeModel& model);

}  // namespace rooflab::predict
