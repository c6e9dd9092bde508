#include "nvml.hpp"

#include <dlfcn.h>

#include <array>

#include "base/format.hpp"
#include "system/environment_variable.hpp"

namespace rooflab::monitor {
namespace {

using nvml::Device;
using nvml::Return;

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
}

/// Calls a function that writes one value behind its other arguments.
template <class Value, class Function, class... Arguments>
std::optional<Value> ask(Function* function, Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != nvml::success) return std::nullopt;
  return value;
}

/// Calls a function that writes a text of up to `size` bytes behind its other arguments.
template <unsigned size, class Function, class... Arguments>
std::optional<std::string> ask_text(Function* function, Arguments... arguments) {
  std::array<char, size> text{};
  if (function == nullptr || function(arguments..., text.data(), size) != nvml::success) {
    return std::nullopt;
  }
  text.back() = '\0';
  return std::string(text.data());
}

}  // namespace

/// Null where the library lacks the function.
struct NvmlLibrary::Functions {
  Return (*init)();
  Return (*shutdown)();
  const char* (*error_string)(Return);
  Return (*device_count)(unsigned*);
  Return (*device_by_index)(unsigned, Device*);
  Return (*device_by_uuid)(const char*, Device*);
  Return (*driver_version)(char*, unsigned);
  Return (*cuda_driver_version)(int*);
  Return (*name)(Device, char*, unsigned);
  Return (*uuid)(Device, char*, unsigned);
  Return (*compute_capability)(Device, int*, int*);
  Return (*memory)(Device, nvml::Memory*);
  Return (*memory_v2)(Device, nvml::MemoryV2*);
  Return (*utilization)(Device, nvml::Utilization*);
  Return (*power)(Device, unsigned*);
  Return (*energy)(Device, unsigned long long*);
  Return (*clock)(Device, int, unsigned*);
  Return (*temperature)(Device, int, unsigned*);
  Return (*clocks_event_reasons)(Device, unsigned long long*);
  Return (*clocks_throttle_reasons)(Device, unsigned long long*);
  Return (*field_values)(Device, int, nvml::FieldValue*);

  explicit Functions(void* library) {
    find(library, "nvmlInit_v2", init);
    find(library, "nvmlShutdown", shutdown);
    find(library, "nvmlErrorString", error_string);
    find(library, "nvmlDeviceGetCount_v2", device_count);
    find(library, "nvmlDeviceGetHandleByIndex_v2", device_by_index);
    find(library, "nvmlDeviceGetHandleByUUID", device_by_uuid);
    find(library, "nvmlSystemGetDriverVersion", driver_version);
    find(library, "nvmlSystemGetCudaDriverVersion_v2", cuda_driver_version);
    find(library, "nvmlDeviceGetName", name);
    find(library, "nvmlDeviceGetUUID", uuid);
    find(library, "nvmlDeviceGetCudaComputeCapability", compute_capability);
    find(library, "nvmlDeviceGetMemoryInfo", memory);
    find(library, "nvmlDeviceGetMemoryInfo_v2", memory_v2);
    find(library, "nvmlDeviceGetUtilizationRates", utilization);
    find(library, "nvmlDeviceGetPowerUsage", power);
    find(library, "nvmlDeviceGetTotalEnergyConsumption", energy);
    find(library, "nvmlDeviceGetClockInfo", clock);
    find(library, "nvmlDeviceGetTemperature", temperature);
    find(library, "nvmlDeviceGetCurrentClocksEventReasons", clocks_event_reasons);
    // The same under its name before driver 535.
    find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", clocks_throttle_reasons);
    find(library, "nvmlDeviceGetFieldValues", field_values);
  }
};

NvmlLibrary::Opened NvmlLibrary::open(const std::string& path) {
  // Never unloaded: drivers keep state of threads behind such a library.
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    return {nullptr, format("NVIDIA's driver library is not here ({})",
                            reason == nullptr ? path : std::string(reason))};
  }
  auto functions = std::make_unique<Functions>(library);
  if (functions->init == nullptr || functions->shutdown == nullptr) {
    return {nullptr, format("{} is not NVIDIA's management library (no nvmlInit_v2)", path)};
  }
  if (const Return status = functions->init(); status != nvml::success) {
    const char* const text =
        functions->error_string == nullptr ? nullptr : functions->error_string(status);
    return {nullptr, format("NVML does not start: {}",
                            text == nullptr ? format("error {}", status) : std::string(text))};
  }
  return {std::shared_ptr<const NvmlLibrary>(new NvmlLibrary(std::move(functions))), ""};
}

NvmlLibrary::Opened NvmlLibrary::open() {
  const auto path = chosen_path("ROOFLAB_NVML");
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of a shared_ptr's count
  return open(path ? path->string() : "libnvidia-ml.so.1");
}

NvmlLibrary::NvmlLibrary(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}

NvmlLibrary::~NvmlLibrary() { functions_->shutdown(); }

std::vector<Device> NvmlLibrary::devices() const {
  std::vector<Device> devices;
  const unsigned count = ask<unsigned>(functions_->device_count).value_or(0);
  for (unsigned i = 0; i < count; ++i) {
    if (const auto device = ask<Device>(functions_->device_by_index, i)) devices.push_back(*device);
  }
  return devices;
}

std::optional<Device> NvmlLibrary::device_by_uuid(const std::string& uuid) const {
  return ask<Device>(functions_->device_by_uuid, uuid.c_str());
}

std::optional<std::string> NvmlLibrary::driver_version() const {
  return ask_text<nvml::version_size>(functions_->driver_version);
}

std::optional<std::string> NvmlLibrary::cuda_version() const {
  const std::optional<int> version = ask<int>(functions_->cuda_driver_version);
  if (!version) return std::nullopt;
  return format("{}.{}", *version / 1000, *version % 1000 / 10);
}

std::optional<std::string> NvmlLibrary::name(Device device) const {
  return ask_text<nvml::name_size>(functions_->name, device);
}

std::optional<std::string> NvmlLibrary::uuid(Device device) const {
  return ask_text<nvml::uuid_size>(functions_->uuid, device);
}

std::optional<std::string> NvmlLibrary::compute_capability(Device device) const {
  int major = 0;
  const std::optional<int> minor = ask<int>(functions_->compute_capability, device, &major);
  return minor ? std::optional(format("{}.{}", major, *minor)) : std::nullopt;
}

std::optional<std::int64_t> NvmlLibrary::memory_total_bytes(Device device) const {
  const std::optional<nvml::Memory> memory = ask<nvml::Memory>(functions_->memory, device);
  return memory ? std::optional(static_cast<std::int64_t>(memory->total)) : std::nullopt;
}

std::optional<std::int64_t> NvmlLibrary::memory_used_bytes(Device device) const {
  if (functions_->memory_v2 != nullptr) {
    nvml::MemoryV2 memory{};
    memory.version = nvml::memory_v2_version;
    if (functions_->memory_v2(device, &memory) == nvml::success) {
      return static_cast<std::int64_t>(memory.used);
    }
  }
  const std::optional<nvml::Memory> memory = ask<nvml::Memory>(functions_->memory, device);
  return memory ? std::optional(static_cast<std::int64_t>(memory->used)) : std::nullopt;
}

std::optional<nvml::Utilization> NvmlLibrary::utilization(Device device) const {
  return ask<nvml::Utilization>(functions_->utilization, device);
}

std::optional<double> NvmlLibrary::power_w(Device device) const {
  constexpr double milliwatts_per_watt = 1000.0;
  if (functions_->field_values != nullptr) {
    nvml::FieldValue field{};
    field.field = nvml::field_power_instant;
    if (functions_->field_values(device, 1, &field) == nvml::success &&
        field.status == nvml::success && field.value_type == nvml::value_type_unsigned) {
      return field.value.as_unsigned / milliwatts_per_watt;
    }
  }
  const std::optional<unsigned> power = ask<unsigned>(functions_->power, device);
  return power ? std::optional(*power / milliwatts_per_watt) : std::nullopt;
}

std::optional<double> NvmlLibrary::energy_j(Device device) const {
  const auto energy = ask<unsigned long long>(functions_->energy, device);
  return energy ? std::optional(static_cast<double>(*energy) / 1000.0) : std::nullopt;
}

std::optional<double> NvmlLibrary::clock_hz(Device device, int clock) const {
  const std::optional<unsigned> megahertz = ask<unsigned>(functions_->clock, device, clock);
  return megahertz ? std::optional(*megahertz * 1e6) : std::nullopt;
}

std::optional<double> NvmlLibrary::temperature_c(Device device) const {
  const auto degrees = ask<unsigned>(functions_->temperature, device, nvml::temperature_gpu);
  return degrees ? std::optional(static_cast<double>(*degrees)) : std::nullopt;
}

std::optional<std::uint64_t> NvmlLibrary::throttle_bits(Device device) const {
  auto bits = ask<unsigned long long>(functions_->clocks_event_reasons, device);
  if (!bits) bits = ask<unsigned long long>(functions_->clocks_throttle_reasons, device);
  return bits ? std::optional<std::uint64_t>(*bits) : std::nullopt;
}

}  // namespace rooflab::monitor
