#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "rooflab/record/environment.hpp"
#include "rooflab/record/sample.hpp"
#include "sensor.hpp"

namespace rooflab::monitor {

/// Reads sensors in a separate thread: at once, every period, and once more at the end.
///
///     Sampler sampler(std::move(open_gpu_sensors().sensors), 0.1);
///     work();
///     const std::vector<record::SampleSeries> series = sampler.stop();
///
/// Samples are due at multiples of the period after the start, so that they do not drift; one that
/// a slow sensor missed is left out. `time_s` counts from the start by a steady clock and is taken
/// when the reading of that sensor begins. The thread takes no signals.
class Sampler {
 public:
  /// Starts sampling; `period_s` must be above 0. Without sensors it has neither a thread nor
  /// series.
  Sampler(std::vector<std::unique_ptr<Sensor>> sensors, double period_s);
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler();

  /// Takes the last sample and ends sampling. Returns a series per sensor, in their order, and the
  /// same series when called again.
  std::vector<record::SampleSeries> stop();

  /// The samples until now, while sampling continues.
  [[nodiscard]] std::vector<record::SampleSeries> so_far() const;

 private:
  void run();
  void read_all();

  const std::vector<std::unique_ptr<Sensor>> sensors_;
  const std::chrono::duration<double> period_;
  const std::chrono::steady_clock::time_point start_;
  mutable std::mutex mutex_;  ///< guards series_ and stopping_
  std::condition_variable wake_;
  bool stopping_ = false;
  std::vector<record::SampleSeries> series_;
  std::thread thread_;
};

/// Clocks, temperature and throttle reasons from a sample.
[[nodiscard]] record::ClockState clock_state(const record::Sample& sample);

}  // namespace rooflab::monitor
