#pragma once

#include <algorithm>

namespace rooflab::predict {

/// Default of `launch.issue` for calibrations without it, and of the time from the issue of a
/// kernel to its start.
inline constexpr double fallback_launch_s = 3e-6;
inline constexpr double fallback_latency_s = 4e-6;

/// Number of steps after which the time per step is constant.
inline constexpr int steps_until_steady = 3;

/// The queue of the host and the device's queue after it; the essay is at the head of
/// step_time.cpp.
class DeviceQueue {
 public:
  DeviceQueue(double gap_s, double latency_s) : gap_s_(gap_s), latency_s_(latency_s) {}

  void issue(double cost_s) { host_s_ += cost_s; }
  /// Start of a kernel that is issued now.
  [[nodiscard]] double next_start() const { return next_start(host_s_); }
  /// Start of a kernel that is issued at `issued_s`, after the device's work so far.
  [[nodiscard]] double next_start(double issued_s) const {
    return std::max(device_free_s_ > 0.0 ? device_free_s_ + gap_s_ : 0.0, arrival(issued_s));
  }
  /// Time at which work that the host issues at `issued_s` arrives at the device.
  [[nodiscard]] double arrival(double issued_s) const { return issued_s + latency_s_; }
  void finish(double end_s) { device_free_s_ = end_s; }
  /// Lets the host read a result: it issues nothing until the device has finished.
  void host_waits() {
    waited_s_ += std::max(0.0, device_free_s_ - host_s_);
    host_s_ = std::max(host_s_, device_free_s_);
  }
  /// Makes later work start at `time_s` or later.
  void wait_until(double time_s) { device_free_s_ = std::max(device_free_s_, time_s); }

  /// Time at which the host has issued all work so far.
  [[nodiscard]] double issued() const { return host_s_; }
  [[nodiscard]] double device_free() const { return device_free_s_; }
  /// Time of the host's own work, without waiting for the device.
  [[nodiscard]] double host() const { return host_s_ - waited_s_; }
  [[nodiscard]] double end() const { return std::max(device_free_s_, host_s_); }

 private:
  double gap_s_;
  double latency_s_;
  double host_s_ = 0.0;
  double waited_s_ = 0.0;
  double device_free_s_ = 0.0;
};

}  // namespace rooflab::predict
