#include "device_backend.hpp"

#include <torch/version.h>

#include "base/format.hpp"
#include "cpu_backend.hpp"
#include "monitor/host.hpp"
#ifdef ROOFLAB_TORCH_CUDA
#include "cuda_backend.hpp"
#endif

namespace rooflab::torch_worker {

std::unique_ptr<DeviceBackend> make_backend(const at::Device& device) {
  if (device.is_cpu()) return make_cpu_backend();
#ifdef ROOFLAB_TORCH_CUDA
  if (device.is_cuda()) return make_cuda_backend(device);
#endif
  throw Unsupported{format("this build of libtorch {} has no {} support", TORCH_VERSION,
                           at::DeviceTypeName(device.type(), false))};
}

std::vector<record::DeviceIdentity> present_devices() {
  std::vector<record::DeviceIdentity> devices = {monitor::cpu_identity()};
#ifdef ROOFLAB_TORCH_CUDA
  for (record::DeviceIdentity& device : cuda_devices()) devices.push_back(std::move(device));
#endif
  return devices;
}

std::map<std::string, std::string> library_versions() {
  std::map<std::string, std::string> versions = {{"libtorch", TORCH_VERSION}};
#ifdef ROOFLAB_TORCH_CUDA
  versions.merge(cuda_library_versions());
#endif
  return versions;
}

std::vector<std::string> missing_parts() {
#ifdef ROOFLAB_TORCH_CUDA
  return {};
#else
  return {
      "CUDA: this libtorch was built without it; rooflab doctor --build-worker builds with the "
      "PyTorch of python3"};
#endif
}

}  // namespace rooflab::torch_worker
