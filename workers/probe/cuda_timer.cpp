#include "cuda_timer.hpp"

#include <algorithm>

#include "cuda_call.hpp"

namespace rooflab::probe_worker {

Train train_for(double once_s) {
  constexpr double train_s = 0.01;
  constexpr double most = 500.0;
  const double count = once_s > 0.0 ? std::clamp(train_s / once_s, 1.0, most) : most;
  return {.count = static_cast<int>(count), .led = once_s < 2.0 * train_s};
}

DeviceTimer::DeviceTimer() {
  check(cudaEventCreate(&begin_), "making an event");
  check(cudaEventCreate(&end_), "making an event");
}

DeviceTimer::~DeviceTimer() {
  static_cast<void>(cudaEventDestroy(begin_));
  static_cast<void>(cudaEventDestroy(end_));
}

double DeviceTimer::time(const std::function<void()>& launch, const Train& train) const {
  if (train.led) launch();
  check(cudaEventRecord(begin_), "recording an event");
  for (int i = 0; i < train.count; ++i) launch();
  check(cudaEventRecord(end_), "recording an event");
  check_launch("launching a kernel");
  check(cudaEventSynchronize(end_), "waiting for the device");
  float milliseconds = 0.0F;
  check(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading an event");
  return static_cast<double>(milliseconds) * 1e-3 / train.count;
}

Statistics DeviceTimer::repeat(const std::function<void()>& launch, const Train& train,
                               RepetitionPlan plan) const {
  plan.warm_up_s /= train.count + (train.led ? 1 : 0);
  plan.measured_s /= train.count;
  return probe_worker::repeat([&] { return time(launch, train); }, plan);
}

}  // namespace rooflab::probe_worker
