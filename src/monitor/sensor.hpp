#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rooflab/record/environment.hpp"
#include "rooflab/record/sample.hpp"

namespace rooflab::monitor {

/// A source of samples that can be read at any time: a GPU through NVML, a process through the
/// kernel, or a fake. Not thread-safe: only one thread may read it.
class Sensor {
 public:
  virtual ~Sensor() = default;
  /// Name of the device: `cuda:0`, `cpu`.
  [[nodiscard]] virtual std::string device() const = 0;
  /// Name for people: `NVIDIA H200`.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Reads a sample without `time_s`. Values that cannot be read are nullopt.
  [[nodiscard]] virtual record::Sample read() = 0;
};

}  // namespace rooflab::monitor
