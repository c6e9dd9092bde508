#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "repetitions.hpp"

namespace rooflab::probe_worker {

/// Consecutive launches in one queue.
struct Train {
  int count = 1;    ///< number of timed launches
  bool led = true;  ///< one more launch goes ahead of them
};

/// A train of about 10 ms for launches that take `once_s` each. Launches of 20 ms or more need none
/// ahead, because the host's issue time is negligible.
[[nodiscard]] Train train_for(double once_s);

/// Times trains with device events. The launch ahead keeps the device busy while the host issues
/// the first event and the launches, so that the time includes no waiting for the host.
class DeviceTimer {
 public:
  DeviceTimer();
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;

  /// Seconds per launch.
  [[nodiscard]] double time(const std::function<void()>& launch, const Train& train) const;

  /// Repeats trains by a plan whose seconds count the device's work, not single launches.
  [[nodiscard]] Statistics repeat(const std::function<void()>& launch, const Train& train,
                                  RepetitionPlan plan) const;

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace rooflab::probe_worker
