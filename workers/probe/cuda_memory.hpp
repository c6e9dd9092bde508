#pragma once

#include <cstddef>
#include <utility>

#include "cuda_call.hpp"

namespace rooflab::probe_worker {

/// Memory from one of CUDA's allocators; throws Error (capability) when there is not enough.
template <class Allocator>
class CudaMemory {
 public:
  explicit CudaMemory(std::size_t bytes) : bytes_(bytes) {
    check(Allocator::allocate(&data_, bytes), Allocator::what);
  }
  ~CudaMemory() { static_cast<void>(Allocator::release(data_)); }
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  template <class Element>
  [[nodiscard]] Element* as() const {
    return static_cast<Element*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

struct DeviceAllocator {
  static constexpr const char* what = "device memory";
  static cudaError_t allocate(void** data, std::size_t bytes) { return cudaMalloc(data, bytes); }
  static cudaError_t release(void* data) { return cudaFree(data); }
};

struct PinnedAllocator {
  static constexpr const char* what = "pinned host memory";
  static cudaError_t allocate(void** data, std::size_t bytes) {
    return cudaMallocHost(data, bytes);
  }
  static cudaError_t release(void* data) { return cudaFreeHost(data); }
};

struct ManagedAllocator {
  static constexpr const char* what = "managed memory";
  static cudaError_t allocate(void** data, std::size_t bytes) {
    return cudaMallocManaged(data, bytes, cudaMemAttachGlobal);
  }
  static cudaError_t release(void* data) { return cudaFree(data); }
};

using DeviceMemory = CudaMemory<DeviceAllocator>;
using PinnedMemory = CudaMemory<PinnedAllocator>;
using ManagedMemory = CudaMemory<ManagedAllocator>;

/// Free memory of the current device in bytes, as the driver reports it now.
[[nodiscard]] inline std::size_t free_device_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  return free;
}

}  // namespace rooflab::probe_worker
