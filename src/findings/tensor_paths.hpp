#pragma once

#include <optional>
#include <string>

#include "rooflab/device/device.hpp"

namespace rooflab::findings {

/// A path of a device's tensor cores for matrix work that runs in FP32.
struct FasterPath {
  std::string name;             ///< `TF32`, `FP16`
  std::optional<double> ratio;  ///< peak over that of the CUDA cores; nullopt: not known
};

/// TF32 where the device has it, else FP16; nullopt: it has no tensor cores, or they are not known.
[[nodiscard]] std::optional<FasterPath> faster_than_fp32(
    const std::optional<device::Device>& device, std::optional<double> compute_capability);

}  // namespace rooflab::findings
