#include "sampler.hpp"

#include <cmath>
#include <csignal>
#include <utility>

namespace rooflab::monitor {
namespace {

using Clock = std::chrono::steady_clock;

/// Blocks every signal for its life, so that a thread begun meanwhile never takes one.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;
  ~WithoutSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

Sampler::Sampler(std::vector<std::unique_ptr<Sensor>> sensors, double period_s)
    : sensors_(std::move(sensors)), period_(period_s), start_(Clock::now()) {
  for (const std::unique_ptr<Sensor>& sensor : sensors_) {
    series_.push_back({sensor->device(), sensor->name(), {}});
  }
  if (sensors_.empty()) return;
  const WithoutSignals guard;
  thread_ = std::thread([this] { run(); });
}

Sampler::~Sampler() { (void)stop(); }

std::vector<record::SampleSeries> Sampler::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  return so_far();
}

std::vector<record::SampleSeries> Sampler::so_far() const {
  const std::lock_guard lock(mutex_);
  return series_;
}

void Sampler::run() {
  while (true) {
    read_all();
    const double passed = std::floor((Clock::now() - start_) / period_);
    const auto due = start_ + std::chrono::ceil<Clock::duration>((passed + 1.0) * period_);
    std::unique_lock lock(mutex_);
    if (wake_.wait_until(lock, due, [this] { return stopping_; })) break;
  }
  read_all();
}

void Sampler::read_all() {
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const std::chrono::duration<double> time = Clock::now() - start_;
    record::Sample sample = sensors_[i]->read();  // may take long: without the lock
    sample.time_s = time.count();
    const std::lock_guard lock(mutex_);
    series_[i].samples.push_back(std::move(sample));
  }
}

record::ClockState clock_state(const record::Sample& sample) {
  return {.sm_clock_hz = sample.sm_clock_hz,
          .memory_clock_hz = sample.memory_clock_hz,
          .temperature_c = sample.temperature_c,
          .throttle_reasons = sample.throttle_reasons};
}

}  // namespace rooflab::monitor
