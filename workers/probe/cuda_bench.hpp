#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "cuda_timer.hpp"
#include "device_probe.hpp"
#include "operands.hpp"

namespace rooflab::probe_worker {

/// Common state of the parts of a CUDA device's probe. The device is the thread's current one.
struct CudaBench {
  Results& results;
  bool quick = false;
  cudaDeviceProp properties{};
  DeviceTimer timer;
  OperandStore operands;

  /// Compute capability times 10: 90 for `9.0`.
  [[nodiscard]] int capability() const { return 10 * properties.major + properties.minor; }
};

// Steps of each part that are not in the results yet; the head of each source file describes the
// method. `bench` must outlive them.
[[nodiscard]] std::vector<Step> cuda_bandwidth(CudaBench& bench);
[[nodiscard]] std::vector<Step> cuda_l2(CudaBench& bench);
[[nodiscard]] std::vector<Step> cuda_vector_peaks(CudaBench& bench);
[[nodiscard]] std::vector<Step> cuda_products(CudaBench& bench);
[[nodiscard]] std::vector<Step> cuda_transfers(CudaBench& bench);
[[nodiscard]] std::vector<Step> cuda_launches(CudaBench& bench);
[[nodiscard]] std::vector<Step> cuda_vector_additions(CudaBench& bench);

}  // namespace rooflab::probe_worker
