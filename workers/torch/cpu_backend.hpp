#pragma once

#include <memory>

#include "device_backend.hpp"

namespace rooflab::torch_worker {

/// Time by the steady clock. Memory as the framework reports every allocation to a listener
/// (the account covers this thread and those that autograd makes for it).
[[nodiscard]] std::unique_ptr<DeviceBackend> make_cpu_backend();

}  // namespace rooflab::torch_worker
