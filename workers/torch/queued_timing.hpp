#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "device_backend.hpp"

namespace rooflab::torch_worker {

/// A call and its measurements.
struct TimedCall {
  std::function<void()> call;    ///< issues equal work every time
  std::function<void()> before;  ///< issues work that is not timed before each call; may be empty
  int warm_ups = 2;              ///< 1 if it was called before

  std::vector<double> device_s;  ///< times of the repetitions, without the marks' own time
  std::vector<double> host_s;    ///< times of the repetitions until the call returns
  /// Peak allocated memory during one call minus that before it.
  std::optional<double> peak_bytes;
  bool unsteady = false;  ///< two rounds of repetitions disagree by more than a fifth

  [[nodiscard]] double device_median_s() const;
  [[nodiscard]] double host_median_s() const;
  /// Spread (longest - shortest) / median of the repetitions; 0 if the median is 0.
  [[nodiscard]] double spread() const;
};

/// Measures all calls, queued one after another. `mark_s`: result of time_between_marks(). Throws
/// Unsupported when the host cannot issue the calls ahead of the device: the times would then
/// include waiting for the host.
void time_calls(DeviceBackend& backend, double mark_s, std::span<TimedCall> calls);

/// Median distance of two adjacent marks in seconds (50 pairs). Throws as time_calls().
[[nodiscard]] double time_between_marks(DeviceBackend& backend);

}  // namespace rooflab::torch_worker
