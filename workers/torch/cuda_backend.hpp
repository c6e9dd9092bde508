#pragma once

#include <memory>
#include <string>

#include "device_backend.hpp"

namespace rooflab::torch_worker {

/// Backend of a GPU: time by device events, memory by the caching allocator's statistics. Only in
/// builds with CUDA. Throws Unsupported without such a GPU.
[[nodiscard]] std::unique_ptr<DeviceBackend> make_cuda_backend(const at::Device& device);

[[nodiscard]] std::vector<record::DeviceIdentity> cuda_devices();
/// Versions of `cuda` and `cudnn`.
[[nodiscard]] std::map<std::string, std::string> cuda_library_versions();

}  // namespace rooflab::torch_worker
