#include "gpu_sensor.hpp"

#include <cstdlib>
#include <utility>

#include "base/format.hpp"
#include "nvml.hpp"
#include "throttle_reasons.hpp"
#include "visible_devices.hpp"

namespace rooflab::monitor {
namespace {

using Library = std::shared_ptr<const NvmlLibrary>;

class GpuSensor : public Sensor {
 public:
  GpuSensor(Library library, nvml::Device handle, std::size_t index)
      : library_(std::move(library)),
        handle_(handle),
        device_(format("cuda:{}", index)),
        name_(library_->name(handle).value_or("NVIDIA GPU")) {}

  [[nodiscard]] std::string device() const override { return device_; }
  [[nodiscard]] std::string name() const override { return name_; }

  [[nodiscard]] record::Sample read() override {
    constexpr double percent = 100.0;
    record::Sample sample;
    if (const std::optional<nvml::Utilization> used = library_->utilization(handle_)) {
      sample.core_utilization = used->gpu / percent;
      sample.memory_utilization = used->memory / percent;
    }
    sample.memory_used_bytes = library_->memory_used_bytes(handle_);
    sample.power_w = library_->power_w(handle_);
    sample.energy_j = library_->energy_j(handle_);
    sample.sm_clock_hz = library_->clock_hz(handle_, nvml::clock_sm);
    sample.memory_clock_hz = library_->clock_hz(handle_, nvml::clock_memory);
    sample.temperature_c = library_->temperature_c(handle_);
    if (const std::optional<std::uint64_t> bits = library_->throttle_bits(handle_)) {
      sample.throttle_reasons = throttle_reasons(*bits);
    }
    return sample;
  }

 private:
  Library library_;
  nvml::Device handle_;
  std::string device_;
  std::string name_;
};

/// What CUDA shows, in its order.
std::vector<nvml::Device> visible_handles(const NvmlLibrary& library, std::string& missing) {
  const std::vector<nvml::Device> all = library.devices();
  if (all.empty()) {
    missing = "NVML finds no GPU";
    return {};
  }
  std::vector<std::string> uuids;
  uuids.reserve(all.size());
  for (const nvml::Device device : all) uuids.push_back(library.uuid(device).value_or(""));
  const char* const variable = std::getenv("CUDA_VISIBLE_DEVICES");
  std::vector<nvml::Device> shown;
  for (const std::size_t index :
       visible_devices(variable ? std::optional<std::string>(variable) : std::nullopt, uuids)) {
    shown.push_back(all[index]);
  }
  if (shown.empty()) {
    missing = format("CUDA_VISIBLE_DEVICES='{}' shows none of {} GPU{}", variable, all.size(),
                     all.size() == 1 ? "" : "s");
  }
  return shown;
}

}  // namespace

GpuSensors open_gpu_sensors(std::span<const std::string> uuids) {
  GpuSensors result;
  const auto [library, missing] = NvmlLibrary::open();
  result.missing = missing;
  if (!library) return result;
  if (uuids.empty()) {
    for (const nvml::Device handle : visible_handles(*library, result.missing)) {
      result.sensors.push_back(std::make_unique<GpuSensor>(library, handle, result.sensors.size()));
    }
    return result;
  }
  const std::vector<nvml::Device> all = library->devices();
  std::vector<std::string> known;
  known.reserve(all.size());
  for (const nvml::Device device : all) known.push_back(library->uuid(device).value_or(""));
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    // NVML finds UUIDs of MIG instances, which are not among its devices.
    std::optional<nvml::Device> handle = library->device_by_uuid(uuids[i]);
    if (const auto index = device_with_uuid(uuids[i], known); !handle && index) {
      handle = all[*index];
    }
    if (handle) {
      result.sensors.push_back(std::make_unique<GpuSensor>(library, *handle, i));
    } else {
      result.missing += format("{}no GPU '{}' here", result.missing.empty() ? "" : "; ", uuids[i]);
    }
  }
  return result;
}

std::vector<record::DeviceIdentity> detect_gpus(std::string& missing) {
  const NvmlLibrary::Opened opened = NvmlLibrary::open();
  missing = opened.missing;
  if (!opened.library) return {};
  const NvmlLibrary& library = *opened.library;
  std::vector<record::DeviceIdentity> gpus;
  for (const nvml::Device handle : visible_handles(library, missing)) {
    record::DeviceIdentity& gpu = gpus.emplace_back();
    gpu.kind = "cuda";
    gpu.index = static_cast<int>(gpus.size()) - 1;
    gpu.name = library.name(handle).value_or("NVIDIA GPU");
    gpu.uuid = library.uuid(handle).value_or("");
    if (const auto bytes = library.memory_total_bytes(handle)) gpu.memory = Bytes(*bytes);
    gpu.compute_capability = library.compute_capability(handle);
    gpu.driver = library.driver_version();
  }
  return gpus;
}

std::optional<std::string> driver_cuda_version() {
  const NvmlLibrary::Opened opened = NvmlLibrary::open();
  return opened.library ? opened.library->cuda_version() : std::nullopt;
}

}  // namespace rooflab::monitor
