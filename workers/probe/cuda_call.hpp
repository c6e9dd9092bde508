#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace rooflab::probe_worker {

/// Exception for a failed CUDA call that makes the device's context unusable: it ends the probe.
class CudaFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Checks the status of a call. `what` describes the call: "copying to the device". Throws Error
/// (capability) when memory ran out or the device does not support it, and CudaFault for other
/// errors.
void check(cudaError_t status, std::string_view what);
/// Checks the launches since the last check. Throws as check().
void check_launch(std::string_view what);

}  // namespace rooflab::probe_worker
