#pragma once

#include <memory>
#include <optional>

#include "device_backend.hpp"
#include "monitor/sampler.hpp"
#include "monitor/sensor.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::torch_worker {

/// Watches the device while steps are timed: clocks before and after, samples in between, energy by
/// the device's counter. What a device does not tell stays absent in the record.
class DeviceWatch {
 public:
  /// Names the driver in the record; warns there when a GPU gives no figures. `period_s` of the
  /// samples; 0: none.
  DeviceWatch(const DeviceBackend& backend, double period_s, record::Record& record);

  void start();
  /// After `steps` steps in `elapsed_s` seconds.
  void stop(double elapsed_s, std::size_t steps);

  /// Memory in use on a GPU by all processes. Asked before the framework makes its context there,
  /// it tells the context's size.
  [[nodiscard]] static std::optional<Bytes> memory_used(const at::Device& device);

 private:
  void account_energy(const record::Sample& after, double elapsed_s, std::size_t steps);

  record::Record& record_;
  double period_s_;
  std::string device_;                       ///< `cuda:1`; empty on a CPU
  std::string uuid_;                         ///< UUID of the GPU; empty on a CPU
  std::unique_ptr<monitor::Sensor> sensor_;  ///< sensor of the GPU
  std::optional<record::Sample> before_;
  std::optional<monitor::Sampler> sampler_;
};

}  // namespace rooflab::torch_worker
