#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "device_probe.hpp"

namespace rooflab::probe_worker {

/// Receives the stage, its done fraction, and the remaining seconds of everything.
using SayProgress = std::function<void(std::string_view stage, double done, double left_s)>;

/// Measures the parts of a request that `results` does not have yet, in the order of known_parts().
/// Throws Error (usage) for an unknown part.
void run_probe(const engine::DeviceProbeRequest& request, DeviceProbe& device, Results& results,
               const SayProgress& say);

}  // namespace rooflab::probe_worker
