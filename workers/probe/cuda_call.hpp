#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace rooflab::probe_worker {

/// A CUDA call failed in a way that leaves the device's context useless: it ends the probe.
class CudaFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `what` names what was tried: "copying to the device". Throws Error (capability) when memory ran
/// out or the device cannot do it, CudaFault for everything else.
void check(cudaError_t status, std::string_view what);
/// The same for the launches since the last check.
void check_launch(std::string_view what);

}  // namespace rooflab::probe_worker
