#pragma once

#include <memory>

#include "device_backend.hpp"

namespace rooflab::torch_worker {

/// Backend of the CPU. Time by the steady clock; memory by the allocations that the framework
/// reports to a listener (for this thread and those that autograd makes for it).
[[nodiscard]] std::unique_ptr<DeviceBackend> make_cpu_backend();

}  // namespace rooflab::torch_worker
