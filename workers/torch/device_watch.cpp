#include "device_watch.hpp"

#include <unistd.h>

#include <span>

#include "base/format.hpp"
#include "monitor/gpu_sensor.hpp"
#include "monitor/process_sensor.hpp"
#include "notes/engine_notes.hpp"

namespace rooflab::torch_worker {

DeviceWatch::DeviceWatch(const DeviceBackend& backend, double period_s, record::Record& record)
    : record_(record), period_s_(period_s) {
  if (!backend.device().is_cuda()) return;
  device_ = backend.device().str();
  uuid_ = backend.identity().uuid;
  monitor::GpuSensors found = monitor::open_gpu_sensors({&uuid_, 1});
  if (found.sensors.empty()) {
    record_.warnings.push_back({engine::says.no_sensors, {found.missing}});
    return;
  }
  sensor_ = std::move(found.sensors.front());
  std::string ignored;
  for (const record::DeviceIdentity& gpu : monitor::detect_gpus(ignored)) {
    if (gpu.uuid == uuid_) record_.environment.device.driver = gpu.driver;
  }
}

void DeviceWatch::start() {
  if (sensor_) before_ = sensor_->read();
  if (period_s_ <= 0.0) return;
  std::vector<std::unique_ptr<monitor::Sensor>> sensors;
  if (sensor_) sensors = std::move(monitor::open_gpu_sensors({&uuid_, 1}).sensors);
  sensors.push_back(monitor::process_sensor(::getpid(), false));
  sampler_.emplace(std::move(sensors), period_s_);
}

void DeviceWatch::stop(double elapsed_s, std::size_t steps) {
  if (sensor_ && before_) {
    const record::Sample after = sensor_->read();
    record_.environment.clocks_before = monitor::clock_state(*before_);
    record_.environment.clocks_after = monitor::clock_state(after);
    account_energy(after, elapsed_s, steps);
  }
  if (!sampler_) return;
  record_.samples = sampler_->stop();
  // The monitor counts the GPUs that it was asked about.
  for (record::SampleSeries& series : record_.samples) {
    if (series.device.starts_with("cuda:")) series.device = device_;
  }
}

void DeviceWatch::account_energy(const record::Sample& after, double elapsed_s, std::size_t steps) {
  // The counter moves every 20 to 100 ms: a shorter loop would measure its steps.
  constexpr double shortest_s = 0.9;
  if (!before_->energy_j || !after.energy_j || steps == 0) return;
  if (elapsed_s < shortest_s) {
    record_.warnings.push_back({engine::says.too_short_for_energy, {elapsed_s}});
    return;
  }
  record_.energy_j = (*after.energy_j - *before_->energy_j) / static_cast<double>(steps);
}

std::optional<Bytes> DeviceWatch::memory_used(const at::Device& device) {
  if (!device.is_cuda()) return std::nullopt;
  for (const auto& sensor : monitor::open_gpu_sensors().sensors) {
    if (sensor->device() != format("cuda:{}", static_cast<int>(device.index()))) continue;
    if (const auto used = sensor->read().memory_used_bytes) return Bytes(*used);
  }
  return std::nullopt;
}

}  // namespace rooflab::torch_worker
