#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "cuda_timer.hpp"
#include "device_probe.hpp"
#include "operands.hpp"

namespace rooflab::probe_worker {

/// What the parts of a CUDA device's probe share. The device is the current one of the thread.
struct CudaBench {
  Results& results;
  bool quick = false;
  cudaDeviceProp properties{};
  DeviceTimer timer;
  OperandStore operands;

  /// `9.0` is 90.
  [[nodiscard]] int capability() const { return 10 * properties.major + properties.minor; }
};

// The steps of each part that are not in the results yet; the head of each source file says how it
// is measured. `bench` outlives them.
[[nodiscard]] std::vector<Step> cuda_bandwidth(CudaBench& bench);
[[nodiscard]] std::vector<Step> cuda_l2(CudaBench& bench);
[[nodiscard]] std::vector<Step> cuda_vector_peaks(CudaBench& bench);
[[nodiscard]] std::vector<Step> cuda_products(CudaBench& bench);
[[nodiscard]] std::vector<Step> cuda_transfers(CudaBench& bench);
[[nodiscard]] std::vector<Step> cuda_launches(CudaBench& bench);
[[nodiscard]] std::vector<Step> cuda_vector_additions(CudaBench& bench);

}  // namespace rooflab::probe_worker
