#include "trace_device.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace rooflab::record {

void set_device_of_kernels(Record& record) {
  DeviceIdentity& device = record.environment.device;
  device = {.driver = device.driver};
  record.identity.device = "cpu";
  device.kind = "cpu";
  if (!record.kernels || record.kernels->empty()) return;
  device.kind = "cuda";
  device.index = record.kernels->launch(0).device;
  record.identity.device = format("cuda:{}", device.index);
  if (!record.trace) return;
  const auto told = std::ranges::find(record.trace->devices, device.index, &TraceDevice::id);
  if (told == record.trace->devices.end()) return;
  device.name = told->name;
  if (told->memory_bytes) device.memory = Bytes(*told->memory_bytes);
  device.compute_capability = told->compute_capability;
  device.multiprocessors = told->multiprocessors;
}

}  // namespace rooflab::record
