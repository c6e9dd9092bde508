#pragma once

#include <memory>
#include <optional>
#include <string>

#include "rooflab/record/hardware_samples.hpp"

namespace rooflab::profile {

/// Means of a device's activity between two moments, by NVML's GPU performance monitoring (GPM),
/// which counts all processes on the device and needs no privilege. Hopper and later have it.
class GpmMeter {
 public:
  /// Opens a meter; nullptr where the driver has no NVML or no GPM for this device, or refuses it.
  /// `uuid`: `GPU-5f9c...`.
  [[nodiscard]] static std::unique_ptr<GpmMeter> open(const std::string& uuid);
  ~GpmMeter();
  GpmMeter(const GpmMeter&) = delete;
  GpmMeter& operator=(const GpmMeter&) = delete;

  void begin();
  /// Means since begin(); nullopt: NVML did not report them.
  [[nodiscard]] std::optional<record::GpmShares> end();

 private:
  struct State;
  explicit GpmMeter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rooflab::profile
