#pragma once

#include <functional>
#include <optional>
#include <string>

#include "device_backend.hpp"
#include "rooflab/record/scale_run.hpp"

namespace rooflab::torch_worker {

/// Steps of which what ran when is noted.
inline constexpr int traced_steps = 5;

/// Runs `step` `steps` times while the GPU notes what runs when, nothing serialised. nullopt
/// without activity records; `why` says so.
[[nodiscard]] std::optional<record::RankKernels> trace_kernels(const std::function<void()>& step,
                                                               int steps, DeviceBackend& backend,
                                                               std::string& why);

}  // namespace rooflab::torch_worker
