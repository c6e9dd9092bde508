#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nvml_abi.hpp"

namespace rooflab::monitor {

/// NVIDIA's management library, loaded if it exists. A function that the driver lacks, that the
/// device does not support or that fails gives nullopt.
class NvmlLibrary {
 public:
  struct Opened {
    std::shared_ptr<const NvmlLibrary> library;  ///< nullptr: see `missing`
    std::string missing;
  };
  /// Loads and initialises the library at `path`, a file or a soname.
  [[nodiscard]] static Opened open(const std::string& path);
  /// Opens $ROOFLAB_NVML, else `libnvidia-ml.so.1`, which the driver installs.
  [[nodiscard]] static Opened open();

  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;
  ~NvmlLibrary();

  [[nodiscard]] std::vector<nvml::Device> devices() const;  ///< in NVML's order: by PCI bus
  [[nodiscard]] std::optional<nvml::Device> device_by_uuid(const std::string& uuid) const;
  [[nodiscard]] std::optional<std::string> driver_version() const;  ///< `580.159.03`
  [[nodiscard]] std::optional<std::string> cuda_version() const;    ///< `13.0`

  [[nodiscard]] std::optional<std::string> name(nvml::Device device) const;
  [[nodiscard]] std::optional<std::string> uuid(nvml::Device device) const;
  [[nodiscard]] std::optional<std::string> compute_capability(nvml::Device device) const;
  [[nodiscard]] std::optional<std::int64_t> memory_total_bytes(nvml::Device device) const;
  [[nodiscard]] std::optional<std::int64_t> memory_used_bytes(nvml::Device device) const;
  [[nodiscard]] std::optional<nvml::Utilization> utilization(nvml::Device device) const;
  /// Momentary power if the driver reports it, else the driver's average (over a second on most
  /// devices since Ampere).
  [[nodiscard]] std::optional<double> power_w(nvml::Device device) const;
  [[nodiscard]] std::optional<double> energy_j(nvml::Device device) const;
  [[nodiscard]] std::optional<double> clock_hz(nvml::Device device, int clock) const;
  [[nodiscard]] std::optional<double> temperature_c(nvml::Device device) const;
  [[nodiscard]] std::optional<std::uint64_t> throttle_bits(nvml::Device device) const;

 private:
  struct Functions;
  explicit NvmlLibrary(std::unique_ptr<Functions> functions);

  std::unique_ptr<Functions> functions_;
};

}  // namespace rooflab::monitor
