#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/record/environment.hpp"
#include "sensor.hpp"

/// NVIDIA GPUs, read through the driver's management library (NVML), which is loaded if it exists:
/// `libnvidia-ml.so.1`, or the file that $ROOFLAB_NVML names. docs/methods/monitoring.md explains
/// each figure.
namespace rooflab::monitor {

struct GpuSensors {
  std::vector<std::unique_ptr<Sensor>> sensors;
  std::string missing;  ///< why no sensor was opened, or which UUID is missing; else empty
};

/// Opens a sensor for each UUID (`GPU-...`, or without this prefix as frameworks print it); the
/// first is `cuda:0`. An unknown UUID has no sensor and keeps its number. Without UUIDs: all GPUs
/// that CUDA_VISIBLE_DEVICES shows, in its order. Without a GPU or a driver: none, with the reason.
[[nodiscard]] GpuSensors open_gpu_sensors(std::span<const std::string> uuids = {});

/// The GPUs that CUDA_VISIBLE_DEVICES shows; `missing`: reason for an empty list, else empty.
[[nodiscard]] std::vector<record::DeviceIdentity> detect_gpus(std::string& missing);

/// Newest CUDA version that the installed driver can run: `13.0`; nullopt without a driver.
[[nodiscard]] std::optional<std::string> driver_cuda_version();

}  // namespace rooflab::monitor
