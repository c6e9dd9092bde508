#pragma once

#include <functional>

#include "device_backend.hpp"
#include "rooflab/record/host_costs.hpp"

namespace rooflab::torch_worker {

/// Measures the host's current issue costs with the items of host_grid() in turns, for about
/// `seconds` (longer if eight runs of each take longer). `progress` receives the done fraction.
/// Items that the framework cannot run here are left out; the costs then lack their class. Changes
/// only the allocator's cache and the random number generator.
[[nodiscard]] record::HostCosts probe_host(DeviceBackend& backend, double seconds,
                                           const std::function<void(double)>& progress = {});

}  // namespace rooflab::torch_worker
