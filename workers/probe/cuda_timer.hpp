#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "repetitions.hpp"

namespace rooflab::probe_worker {

/// Launches that follow each other in one queue.
struct Train {
  int count = 1;    ///< that are timed
  bool led = true;  ///< one more goes ahead of them
};

/// About 10 ms of launches that take `once_s` each. Those of 20 ms and more need none ahead: what
/// the host takes to issue one is lost in them.
[[nodiscard]] Train train_for(double once_s);

/// Device events around trains. The launch ahead keeps the device busy while the host issues the
/// first event and the others, so that no waiting for the host is in the time.
class DeviceTimer {
 public:
  DeviceTimer();
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;

  /// Seconds of one launch.
  [[nodiscard]] double time(const std::function<void()>& launch, const Train& train) const;

  /// Repeats trains by a plan whose seconds are of the device's work, not of one launch.
  [[nodiscard]] Statistics repeat(const std::function<void()>& launch, const Train& train,
                                  RepetitionPlan plan) const;

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace rooflab::probe_worker
