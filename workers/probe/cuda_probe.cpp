// A CUDA device: the parts in their order, what it is called, and what its clocks did. Clocks and
// what holds them down come from the driver's management library (docs/methods/monitoring.md).

#include "base/format.hpp"
#include "cuda_bench.hpp"
#include "cuda_blas.hpp"
#include "cuda_call.hpp"
#include "monitor/gpu_sensor.hpp"
#include "monitor/host.hpp"
#include "monitor/sampler.hpp"
#include "notes/engine_notes.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::probe_worker {
namespace {

/// `GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, as the driver's tools write it.
std::string uuid_of(const cudaDeviceProp& properties) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += format("{:02x}", static_cast<unsigned char>(properties.uuid.bytes[i]));
  }
  return text;
}

/// 13010: `13.1`.
std::string cuda_version(int number) { return format("{}.{}", number / 1000, number % 1000 / 10); }

cudaDeviceProp properties_of(int index) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "looking for CUDA devices");
  if (index >= count) {
    throw Error(ErrorKind::capability,
                format("cuda:{} does not exist: this machine has {} device{}", index, count,
                       count == 1 ? "" : "s"));
  }
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "asking for the device's properties");
  check(cudaSetDevice(index), "choosing the device");
  return properties;
}

class CudaProbe : public DeviceProbe {
 public:
  CudaProbe(int index, Results& results, bool quick)
      : bench_{.results = results, .quick = quick, .properties = properties_of(index)} {
    const std::string uuid = uuid_of(bench_.properties);
    monitor::GpuSensors found = monitor::open_gpu_sensors({&uuid, 1});
    if (found.sensors.empty()) {
      results.note({engine::says.no_clocks, {found.missing}});
    } else {
      sensor_ = std::move(found.sensors.front());
    }
  }

  std::map<std::string, std::string> identity() override {
    const cudaDeviceProp& properties = bench_.properties;
    std::map<std::string, std::string> strings = cuda_library_versions();
    strings["device"] = properties.name;
    strings["compute_capability"] = format("{}.{}", properties.major, properties.minor);
    strings["multiprocessors"] = format("{}", properties.multiProcessorCount);
    strings["memory_bytes"] = format("{}", properties.totalGlobalMem);
    strings["l2_bytes"] = format("{}", properties.l2CacheSize);
    strings["cpu"] = monitor::cpu_identity().name;
    const std::string uuid = uuid_of(properties);
    std::string ignored;
    for (const record::DeviceIdentity& gpu : monitor::detect_gpus(ignored)) {
      if (gpu.uuid == uuid && gpu.driver) strings["driver"] = *gpu.driver;
    }
    strings.merge(clocks("before"));
    return strings;
  }

  std::vector<Step> steps_of(const std::string& part) override {
    if (part == "bandwidth") return cuda_bandwidth(bench_);
    if (part == "l2") return cuda_l2(bench_);
    if (part == "transfers") return cuda_transfers(bench_);
    if (part == "launch") return cuda_launches(bench_);
    if (part == "vector_addition") return cuda_vector_additions(bench_);
    std::vector<Step> peaks = cuda_vector_peaks(bench_);
    for (Step& step : cuda_products(bench_)) peaks.push_back(std::move(step));
    return peaks;
  }

  std::map<std::string, std::string> state() override {
    std::map<std::string, std::string> strings = clocks("after");
    if (reasons_) {
      const std::vector<std::string> reasons(reasons_->begin(), reasons_->end());
      strings["throttle_reasons"] = reasons.empty() ? "none" : join(reasons, ", ");
    }
    return strings;
  }

  void watch() override {
    if (!sensor_) return;
    const auto seen = sensor_->read().throttle_reasons;
    if (!seen) return;
    if (!reasons_) reasons_.emplace();
    for (const std::string& reason : *seen) {
      if (reason != "gpu_idle") reasons_->insert(reason);
    }
  }

 private:
  /// `sm_clock_mhz_before`, `memory_clock_mhz_before`; what is not known is absent.
  std::map<std::string, std::string> clocks(const std::string& when) {
    std::map<std::string, std::string> strings;
    if (!sensor_) return strings;
    const record::ClockState state = monitor::clock_state(sensor_->read());
    const auto put = [&](const std::string& name, const std::optional<double>& hertz) {
      if (hertz) strings[format("{}_mhz_{}", name, when)] = format("{:.0f}", *hertz * 1e-6);
    };
    put("sm_clock", state.sm_clock_hz);
    put("memory_clock", state.memory_clock_hz);
    return strings;
  }

  CudaBench bench_;
  std::unique_ptr<monitor::Sensor> sensor_;
  std::optional<std::set<std::string>> reasons_;  ///< seen after any step; nullopt: never told
};

}  // namespace

std::unique_ptr<DeviceProbe> make_cuda_probe(int index, Results& results, bool quick) {
  return std::make_unique<CudaProbe>(index, results, quick);
}

std::vector<record::DeviceIdentity> cuda_devices() {
  std::vector<record::DeviceIdentity> devices;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return devices;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
    devices.push_back({.kind = "cuda",
                       .index = i,
                       .name = properties.name,
                       .uuid = uuid_of(properties),
                       .memory = Bytes(static_cast<std::int64_t>(properties.totalGlobalMem)),
                       .compute_capability = format("{}.{}", properties.major, properties.minor),
                       .multiprocessors = properties.multiProcessorCount});
  }
  return devices;
}

std::map<std::string, std::string> cuda_library_versions() {
  std::map<std::string, std::string> versions;
  int runtime = 0;
  if (cudaRuntimeGetVersion(&runtime) == cudaSuccess) {
    versions["cuda_runtime"] = cuda_version(runtime);
  }
  if (const CublasLt* library = CublasLt::open()) versions["cublaslt"] = library->version();
  return versions;
}

std::vector<std::string> missing_cuda_parts() {
  std::vector<std::string> missing;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    missing.push_back(format("no CUDA device: {}", cudaGetErrorString(status)));
  }
  if (CublasLt::open() == nullptr) missing.push_back(CublasLt::missing());
  return missing;
}

}  // namespace rooflab::probe_worker
