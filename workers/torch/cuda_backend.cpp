#include "cuda_backend.hpp"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/cuda/Sleep.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include <algorithm>

#include "base/format.hpp"

namespace rooflab::torch_worker {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

/// `GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, as the driver's tools write it.
std::string uuid_of(const cudaDeviceProp& properties) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += format("{:02x}", static_cast<unsigned char>(properties.uuid.bytes[i]));
  }
  return text;
}

record::DeviceIdentity identity_of(int index) {
  const cudaDeviceProp& properties =
      *at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(index));
  record::DeviceIdentity identity;
  identity.kind = "cuda";
  identity.index = index;
  identity.name = properties.name;
  identity.uuid = uuid_of(properties);
  identity.memory = Bytes(static_cast<std::int64_t>(properties.totalGlobalMem));
  identity.compute_capability = format("{}.{}", properties.major, properties.minor);
  identity.multiprocessors = properties.multiProcessorCount;
  return identity;
}

struct EventMark : Mark {
  at::cuda::CUDAEvent event{cudaEventDefault};  // with timing
};

class CudaBackend : public DeviceBackend {
 public:
  explicit CudaBackend(const at::Device& device) : device_(device) {
    c10::cuda::set_device(device.index());
  }

  [[nodiscard]] at::Device device() const override { return device_; }
  [[nodiscard]] record::DeviceIdentity identity() const override {
    return identity_of(device_.index());
  }
  [[nodiscard]] std::string clock() const override { return "device events"; }
  void synchronize() override { c10::cuda::device_synchronize(); }
  [[nodiscard]] std::unique_ptr<Mark> mark() override {
    auto result = std::make_unique<EventMark>();
    result->event.record(at::cuda::getCurrentCUDAStream(device_.index()));
    return result;
  }
  [[nodiscard]] bool reached(const Mark& mark) override {
    return dynamic_cast<const EventMark&>(mark).event.query();
  }
  [[nodiscard]] double seconds_between(const Mark& begin, const Mark& end) override {
    const auto& from = dynamic_cast<const EventMark&>(begin).event;
    const auto& to = dynamic_cast<const EventMark&>(end).event;
    return static_cast<double>(from.elapsed_time(to)) * 1e-3;
  }
  bool delay(double seconds) override {
    const double clock_hz = 2e9;  // about; only the order of magnitude matters
    at::cuda::sleep(static_cast<std::int64_t>(seconds * clock_hz));
    return true;
  }
  [[nodiscard]] std::function<void()> captured(const std::function<void()>& work) override {
    const auto graph = std::make_shared<at::cuda::CUDAGraph>();
    const c10::cuda::CUDAStreamGuard guard(  // the default stream cannot be captured
        c10::cuda::getStreamFromPool(false, device_.index()));
    graph->capture_begin();
    work();
    graph->capture_end();
    return [graph] { graph->replay(); };
  }
  [[nodiscard]] std::optional<Bytes> last_cache() override {
    return Bytes(std::int64_t{at::cuda::getDeviceProperties(device_.index())->l2CacheSize});
  }
  [[nodiscard]] AllocatorState allocator() override {
    constexpr std::size_t aggregate = 0;
    const auto stats = allocator::getDeviceStats(device_.index());
    return {Bytes(stats.allocated_bytes[aggregate].current),
            Bytes(stats.allocated_bytes[aggregate].peak),
            Bytes(stats.reserved_bytes[aggregate].peak)};
  }
  void reset_peaks() override { allocator::resetPeakStats(device_.index()); }
  void release_cached() override { allocator::emptyCache(); }
  [[nodiscard]] std::optional<Bytes> device_used() override {
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess) return std::nullopt;
    return Bytes(static_cast<std::int64_t>(total - free));
  }
  void limit_memory(Bytes limit, Bytes context) override {
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess) {
      throw Unsupported{"a memory limit on a device whose memory is unknown"};
    }
    const double share = (limit - context).as_double() / static_cast<double>(total);
    if (share <= 0.0) {
      throw Unsupported{format("a memory limit of {}: the context alone takes {}",
                               si(limit.as_double(), "B"), si(context.as_double(), "B"))};
    }
    // The allocator takes a share of the whole device; more than the whole is not a limit.
    allocator::setMemoryFraction(std::min(share, 1.0), device_.index());
  }

 private:
  at::Device device_;
};

}  // namespace

std::unique_ptr<DeviceBackend> make_cuda_backend(const at::Device& device) {
  const int count = c10::cuda::device_count();
  if (device.index() >= count) {
    throw Unsupported{count == 0
                          ? "this machine has no CUDA device"
                          : format("cuda:{} does not exist: this machine has {} device{}",
                                   static_cast<int>(device.index()), count, count == 1 ? "" : "s")};
  }
  at::globalContext().lazyInitDevice(at::kCUDA);
  return std::make_unique<CudaBackend>(device);
}

std::vector<record::DeviceIdentity> cuda_devices() {
  std::vector<record::DeviceIdentity> devices;
  for (int i = 0; i < c10::cuda::device_count(); ++i) devices.push_back(identity_of(i));
  return devices;
}

std::map<std::string, std::string> cuda_library_versions() {
  std::map<std::string, std::string> versions;
  int runtime = 0;
  if (cudaRuntimeGetVersion(&runtime) == cudaSuccess) {
    versions["cuda"] = format("{}.{}", runtime / 1000, runtime % 1000 / 10);
  }
  if (at::detail::getCUDAHooks().hasCuDNN()) {
    const long cudnn = at::detail::getCUDAHooks().versionCuDNN();
    versions["cudnn"] = cudnn >= 90000
                            ? format("{}.{}.{}", cudnn / 10000, cudnn / 100 % 100, cudnn % 100)
                            : format("{}.{}.{}", cudnn / 1000, cudnn / 100 % 10, cudnn % 100);
  }
  return versions;
}

}  // namespace rooflab::torch_worker
