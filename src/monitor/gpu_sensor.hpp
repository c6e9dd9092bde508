#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/record/environment.hpp"
#include "sensor.hpp"

/// NVIDIA GPUs, read through the driver's management library (NVML), which is loaded if it
/// exists: `libnvidia-ml.so.1`, or the file that $ROOFLAB_NVML names. docs/methods/monitoring.md
/// says what each figure means.
namespace rooflab::monitor {

struct GpuSensors {
  std::vector<std::unique_ptr<Sensor>> sensors;
  std::string missing;  ///< why it is empty, or which of the UUIDs is missing; else empty
};

/// A sensor for each UUID (`GPU-...`, or as frameworks print it without that), `cuda:0` being the
/// first; an unknown UUID has no sensor and keeps its number. Without UUIDs all GPUs that
/// CUDA_VISIBLE_DEVICES shows, in its order. Without a GPU or a driver: none, and the reason.
[[nodiscard]] GpuSensors open_gpu_sensors(std::span<const std::string> uuids = {});

/// The GPUs that CUDA_VISIBLE_DEVICES shows; `missing` says why the list is empty, else is empty.
[[nodiscard]] std::vector<record::DeviceIdentity> detect_gpus(std::string& missing);

/// The newest CUDA that the driver here can run: `13.0`; nullopt without a driver.
[[nodiscard]] std::optional<std::string> driver_cuda_version();

}  // namespace rooflab::monitor
