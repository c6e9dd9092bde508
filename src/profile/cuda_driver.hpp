#pragma once

#include <memory>

#include "rooflab/record/environment.hpp"

namespace rooflab::profile {

struct DriverFunctions;  // in src/profile/cupti, by the driver's own header

/// Functions of the CUDA driver for counting; the process has already loaded the driver.
class CudaDriver {
 public:
  /// Opens the driver; nullptr where the process has no libcuda.so.1.
  [[nodiscard]] static std::unique_ptr<CudaDriver> open();
  ~CudaDriver();
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

  /// Waits until the work of the current context is done. False when the context is broken or gone.
  bool synchronize() const;
  /// Whether launches into a stream (a CUstream) become nodes of a graph instead of running.
  [[nodiscard]] bool is_capturing(void* stream) const;
  /// The current context of this thread, a CUcontext; nullptr: none.
  [[nodiscard]] void* current_context() const;
  /// Name, UUID, memory, compute capability and multiprocessors, as far as the driver reports them.
  /// `device`: a CUDA ordinal.
  [[nodiscard]] record::DeviceIdentity identity(int device) const;

 private:
  explicit CudaDriver(void* library);

  std::unique_ptr<DriverFunctions> functions_;
};

}  // namespace rooflab::profile
