#pragma once

#include <memory>
#include <optional>

#include "device_backend.hpp"
#include "monitor/sampler.hpp"
#include "monitor/sensor.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::torch_worker {

/// Watches the device while steps are timed: clocks before and after, samples in between, energy by
/// the device's counter. Figures that a device does not report are missing in the record.
class DeviceWatch {
 public:
  /// Adds the driver to the record, and a warning when a GPU gives no figures. `period_s`: period
  /// of the samples; 0: none.
  DeviceWatch(const DeviceBackend& backend, double period_s, record::Record& record);

  void start();
  /// Ends the watch after `steps` steps in `elapsed_s` seconds.
  void stop(double elapsed_s, std::size_t steps);

  /// Memory in use on a GPU by all processes. A call before the framework makes its context gives
  /// the size of the context by difference.
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
