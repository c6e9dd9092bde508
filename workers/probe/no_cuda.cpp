// In place of the CUDA sources, where the build has no CUDA compiler.

#include "device_probe.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::probe_worker {

std::unique_ptr<DeviceProbe> make_cuda_probe(int /*index*/, Results& /*results*/, bool /*quick*/) {
  throw Error(ErrorKind::capability, "this build measures the CPU only",
              "build it where a CUDA compiler is found, or with -DROOFLAB_CUDA=ON");
}

std::vector<record::DeviceIdentity> cuda_devices() { return {}; }

std::map<std::string, std::string> cuda_library_versions() { return {}; }

std::vector<std::string> missing_cuda_parts() {
  return {"built without a CUDA compiler: it measures the CPU only"};
}

}  // namespace rooflab::probe_worker
