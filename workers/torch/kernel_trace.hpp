#pragma once

#include <functional>
#include <optional>
#include <string>

#include "device_backend.hpp"
#include "rooflab/record/scale_run.hpp"

namespace rooflab::torch_worker {

/// Number of traced steps.
inline constexpr int traced_steps = 5;

/// Runs `step` `steps` times with activity records of the GPU, which do not serialize kernels.
/// nullopt without activity records; then `why` has the reason.
[[nodiscard]] std::optional<record::RankKernels> trace_kernels(const std::function<void()>& step,
                                                               int steps, DeviceBackend& backend,
                                                               std::string& why);

}  // namespace rooflab::torch_worker
