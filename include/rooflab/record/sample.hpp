#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"

namespace rooflab::record {

/// What a monitor read at one moment. What the device does not tell is absent, never 0.
struct Sample {
  double time_s = 0.0;  ///< since the series began
  /// Fraction of the driver's last period (1/6 s to 1 s) in which a kernel ran. It says nothing
  /// about how much of the device that kernel used.
  std::optional<double> core_utilization;
  /// Fraction of that period in which device memory was read or written.
  std::optional<double> memory_utilization;
  std::optional<std::int64_t> memory_used_bytes;  ///< the whole device's, all processes
  std::optional<double> power_w;
  std::optional<double> energy_j;  ///< counter; only differences mean something
  std::optional<double> sm_clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> temperature_c;
  std::optional<std::vector<std::string>> throttle_reasons;
  // Of a host process (and its children) instead of a device:
  std::optional<double> task_clock_s;  ///< processor time used since the process began
  std::optional<std::int64_t> resident_bytes;
};

/// Samples of one device (`cuda:0`, `cpu`), by rising time.
struct SampleSeries {
  std::string device;
  std::string name;  ///< for people: `NVIDIA H200`
  std::vector<Sample> samples;
};

/// Keeps at most `most` samples of each (2 or more), evenly chosen, with the first and the last.
[[nodiscard]] std::vector<SampleSeries> thinned(std::vector<SampleSeries> all, std::size_t most);

[[nodiscard]] std::span<const Field> fields_of(For<Sample>);
[[nodiscard]] std::span<const Field> fields_of(For<SampleSeries>);

}  // namespace rooflab::record
