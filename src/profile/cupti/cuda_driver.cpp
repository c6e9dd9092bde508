#include "profile/cuda_driver.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace rooflab::profile {
namespace {

template <class Signature>
void find(void* library, const char* name, Signature*& function) {
  function = reinterpret_cast<Signature*>(::dlsym(library, name));
}

/// `GPU-` and the bytes in hexadecimal, as nvidia-smi prints them.
std::string text_of(const CUuuid& uuid) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

}  // namespace

// Exported under the names that cuda.h's macros stand for.
struct DriverFunctions {
  CUresult (*ctx_synchronize)() = nullptr;
  CUresult (*ctx_get_current)(CUcontext*) = nullptr;
  CUresult (*stream_is_capturing)(CUstream, CUstreamCaptureStatus*) = nullptr;
  CUresult (*device_get_name)(char*, int, CUdevice) = nullptr;
  CUresult (*device_get_uuid)(CUuuid*, CUdevice) = nullptr;
  CUresult (*device_total_mem)(std::size_t*, CUdevice) = nullptr;
  CUresult (*device_get_attribute)(int*, CUdevice_attribute, CUdevice) = nullptr;
};

std::unique_ptr<CudaDriver> CudaDriver::open() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  return std::unique_ptr<CudaDriver>(new CudaDriver(library));
}

CudaDriver::CudaDriver(void* library) : functions_(std::make_unique<DriverFunctions>()) {
  find(library, "cuCtxSynchronize", functions_->ctx_synchronize);
  find(library, "cuCtxGetCurrent", functions_->ctx_get_current);
  find(library, "cuStreamIsCapturing", functions_->stream_is_capturing);
  find(library, "cuDeviceGetName", functions_->device_get_name);
  find(library, "cuDeviceGetUuid_v2", functions_->device_get_uuid);
  find(library, "cuDeviceTotalMem_v2", functions_->device_total_mem);
  find(library, "cuDeviceGetAttribute", functions_->device_get_attribute);
}

CudaDriver::~CudaDriver() = default;

bool CudaDriver::synchronize() const {
  return functions_->ctx_synchronize != nullptr && functions_->ctx_synchronize() == CUDA_SUCCESS;
}

bool CudaDriver::is_capturing(void* stream) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return functions_->stream_is_capturing != nullptr &&
         functions_->stream_is_capturing(static_cast<CUstream>(stream), &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void* CudaDriver::current_context() const {
  CUcontext context = nullptr;
  if (functions_->ctx_get_current != nullptr) functions_->ctx_get_current(&context);
  return context;
}

record::DeviceIdentity CudaDriver::identity(int device) const {
  record::DeviceIdentity identity;
  identity.kind = "cuda";
  identity.index = device;
  const auto attribute = [&](CUdevice_attribute which) -> std::optional<int> {
    int value = 0;
    if (functions_->device_get_attribute == nullptr ||
        functions_->device_get_attribute(&value, which, device) != CUDA_SUCCESS) {
      return std::nullopt;
    }
    return value;
  };
  std::array<char, 256> name = {};
  if (functions_->device_get_name != nullptr &&
      functions_->device_get_name(name.data(), static_cast<int>(name.size()), device) ==
          CUDA_SUCCESS) {
    identity.name = name.data();
  }
  CUuuid uuid = {};
  if (functions_->device_get_uuid != nullptr &&
      functions_->device_get_uuid(&uuid, device) == CUDA_SUCCESS) {
    identity.uuid = text_of(uuid);
  }
  std::size_t memory = 0;
  if (functions_->device_total_mem != nullptr &&
      functions_->device_total_mem(&memory, device) == CUDA_SUCCESS) {
    identity.memory = Bytes(static_cast<std::int64_t>(memory));
  }
  const auto major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  const auto minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  if (major && minor) {
    identity.compute_capability = std::to_string(*major) + "." + std::to_string(*minor);
  }
  identity.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return identity;
}

}  // namespace rooflab::profile
