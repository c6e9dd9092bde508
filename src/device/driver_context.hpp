#pragma once

#include <optional>
#include <string>

#include "rooflab/device/device.hpp"

namespace rooflab::device {

/// Memory that a process takes of a device beside the tensors of its framework, as others observed
/// it on devices of the architecture. The essay is at the head of data/driver_contexts.toml.
struct DriverContext {
  double expected = 0.0;  ///< bytes
  double most = 0.0;      ///< bytes
  std::string source;     ///< where `most` was read
};

/// The context on the device, under its driver where that is known. nullopt: nobody published one
/// for such devices.
[[nodiscard]] std::optional<DriverContext> driver_context(const Device& device);

}  // namespace rooflab::device
