#pragma once

#include <optional>
#include <string>

#include "rooflab/device/device.hpp"

namespace rooflab::device {

/// Device memory of a process in addition to its framework's tensors, as observed by others on
/// devices of the architecture. The essay is at the head of data/driver_contexts.toml.
struct DriverContext {
  double expected = 0.0;  ///< bytes
  double most = 0.0;      ///< bytes
  std::string source;     ///< source of `most`
};

/// Context on a device, for its driver if known; nullopt: none is published for such devices.
[[nodiscard]] std::optional<DriverContext> driver_context(const Device& device);

}  // namespace rooflab::device
