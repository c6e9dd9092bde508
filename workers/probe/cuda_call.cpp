#include "cuda_call.hpp"

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::probe_worker {

void check(cudaError_t status, std::string_view what) {
  if (status == cudaSuccess) return;
  const std::string message = format("{}: {}", what, cudaGetErrorString(status));
  switch (status) {
    case cudaErrorMemoryAllocation:
    case cudaErrorNotSupported:
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
      static_cast<void>(cudaGetLastError());  // forgotten, or the next check would find it again
      throw Error(ErrorKind::capability, message);
    default:
      throw CudaFault(message);
  }
}

void check_launch(std::string_view what) { check(cudaGetLastError(), what); }

}  // namespace rooflab::probe_worker
