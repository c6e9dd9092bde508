#pragma once

#include <memory>

#include "rooflab/record/environment.hpp"

namespace rooflab::profile {

struct DriverFunctions;  // of src/counters/cupti, by the driver's own header

/// What counting needs of the CUDA driver, which the process has loaded already.
class CudaDriver {
 public:
  /// nullptr where the process has no libcuda.so.1.
  [[nodiscard]] static std::unique_ptr<CudaDriver> open();
  ~CudaDriver();
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

  /// Waits until the current context's work is done. False when the context is broken or gone.
  bool synchronize() const;
  /// Whether launches into a stream (a CUstream) become nodes of a graph instead of running.
  [[nodiscard]] bool is_capturing(void* stream) const;
  /// The current context of this thread, a CUcontext; nullptr: none.
  [[nodiscard]] void* current_context() const;
  /// Name, UUID, memory, compute capability and multiprocessors, as far as the driver tells.
  /// `device`: a CUDA ordinal.
  [[nodiscard]] record::DeviceIdentity identity(int device) const;

 private:
  explicit CudaDriver(void* library);

  std::unique_ptr<DriverFunctions> functions_;
};

}  // namespace rooflab::profile
