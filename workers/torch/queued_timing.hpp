#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "device_backend.hpp"

namespace rooflab::torch_worker {

/// A call and what was measured of it.
struct TimedCall {
  std::function<void()> call;    ///< issues the same work every time
  std::function<void()> before;  ///< issues work that is not timed before each call; may be empty
  int warm_ups = 2;              ///< 1 where it was called before

  std::vector<double> device_s;  ///< times of the repetitions, without the marks' own time
  std::vector<double> host_s;    ///< times of the repetitions until the call returns
  /// Most allocated during one call, less before it.
  std::optional<double> peak_bytes;
  bool unsteady = false;  ///< two rounds of repetitions disagree by more than a fifth

  [[nodiscard]] double device_median_s() const;
  [[nodiscard]] double host_median_s() const;
  /// (most - least) / median of the repetitions; 0 where the median is.
  [[nodiscard]] double spread() const;
};

/// Measures all calls, queued one behind the other. `mark_s` is time_between_marks(). Throws
/// Unsupported when the host cannot issue the calls ahead of the device, which then would wait for
/// it: such times would not be the device's.
void time_calls(DeviceBackend& backend, double mark_s, std::span<TimedCall> calls);

/// What two marks with nothing between them are apart, median of 50. Throws as time_calls().
[[nodiscard]] double time_between_marks(DeviceBackend& backend);

}  // namespace rooflab::torch_worker
