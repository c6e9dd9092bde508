#pragma once

#include <functional>

#include "device_backend.hpp"
#include "rooflab/record/host_costs.hpp"

namespace rooflab::torch_worker {

/// What issuing work costs the host at this moment: the items of host_grid() in turns, for about
/// `seconds` (longer where eight runs of each take longer). `progress` receives the fraction done.
/// Items that the framework cannot run here are left out; the costs then lack their class. Changes
/// nothing but the allocator's cache, and the random numbers drawn.
[[nodiscard]] record::HostCosts probe_host(DeviceBackend& backend, double seconds,
                                           const std::function<void(double)>& progress = {});

}  // namespace rooflab::torch_worker
