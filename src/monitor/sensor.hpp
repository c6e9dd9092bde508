#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rooflab/record/environment.hpp"
#include "rooflab/record/sample.hpp"

namespace rooflab::monitor {

/// Something that can be read at any moment: a GPU through NVML, a process through the kernel, or a
/// fake. Not thread-safe: one thread reads it.
class Sensor {
 public:
  virtual ~Sensor() = default;
  /// `cuda:0`, `cpu`.
  [[nodiscard]] virtual std::string device() const = 0;
  /// For people: `NVIDIA H200`.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Everything but `time_s`. What cannot be read is absent.
  [[nodiscard]] virtual record::Sample read() = 0;
};

}  // namespace rooflab::monitor
