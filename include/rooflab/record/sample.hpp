#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"

namespace rooflab::record {

/// Values that a monitor read at one moment. A value that the device does not report is nullopt,
/// never 0.
struct Sample {
  double time_s = 0.0;  ///< since the series began
  /// Fraction of the driver's last period (1/6 s to 1 s) in which a kernel ran. It does not show
  /// how much of the device that kernel used.
  std::optional<double> core_utilization = {};
  /// Fraction of the driver's last period in which device memory was read or written.
  std::optional<double> memory_utilization = {};
  std::optional<std::int64_t> memory_used_bytes = {};  ///< all processes on the device
  std::optional<double> power_w = {};
  std::optional<double> energy_j = {};  ///< counter; only differences mean something
  std::optional<double> sm_clock_hz = {};
  std::optional<double> memory_clock_hz = {};
  std::optional<double> temperature_c = {};
  std::optional<std::vector<std::string>> throttle_reasons = {};
  // Of a host process (and its children) instead of a device:
  std::optional<double> task_clock_s = {};  ///< processor time used since the process began
  std::optional<std::int64_t> resident_bytes = {};
};

/// Samples of one device (`cuda:0`, `cpu`), by rising time.
struct SampleSeries {
  std::string device = {};
  std::string name = {};  ///< for people: `NVIDIA H200`
  std::vector<Sample> samples = {};
};

/// Keeps at most `most` (2 or more) samples of each series, evenly chosen, including the first and
/// the last.
[[nodiscard]] std::vector<SampleSeries> thinned(std::vector<SampleSeries> all, std::size_t most);

[[nodiscard]] std::span<const Field> fields_of(For<Sample>);
[[nodiscard]] std::span<const Field> fields_of(For<SampleSeries>);

/// One quantity over a series. The mean is over time (trapezoids between neighbouring samples that
/// have the quantity), so that uneven spacing has no effect; without such neighbours it is over the
/// samples.
struct SampledFigure {
  double mean = 0.0;
  double min = 0.0;
  double max = 0.0;
};
/// Mean of a figure; nullopt where the figure is.
[[nodiscard]] inline std::optional<double> mean_of(const std::optional<SampledFigure>& figure) {
  return figure ? std::optional(figure->mean) : std::nullopt;
}
[[nodiscard]] inline std::optional<double> max_of(const std::optional<SampledFigure>& figure) {
  return figure ? std::optional(figure->max) : std::nullopt;
}

/// Share of samples in which a reason held the clocks down.
struct ThrottleShare {
  std::string reason = {};  ///< `sw_power_cap`, ...
  double share = 0.0;       ///< share of the samples that have reasons
};

/// Summary of a series of samples. Figures that no sample has are nullopt.
/// docs/methods/monitoring.md.
struct SampleSummary {
  std::string device = {};
  std::string name = {};
  std::size_t samples = 0;
  double duration_s = 0.0;                             ///< first to last sample
  std::optional<SampledFigure> core_utilization = {};  ///< fractions
  std::optional<SampledFigure> memory_utilization = {};
  std::optional<SampledFigure> memory_used_bytes = {};
  std::optional<SampledFigure> power_w = {};
  std::optional<SampledFigure> sm_clock_hz = {};
  std::optional<SampledFigure> memory_clock_hz = {};
  std::optional<SampledFigure> temperature_c = {};
  std::optional<SampledFigure> resident_bytes = {};
  /// Difference of the device's energy counter, last minus first; never from power. Absent without
  /// a counter or when it fell (the driver was loaded anew).
  std::optional<double> energy_j = {};
  double energy_span_s = 0.0;  ///< between the two counter readings
  /// Throttle reasons, most frequent first; nullopt where no sample has reasons.
  std::optional<std::vector<ThrottleShare>> throttle = {};
  std::optional<double> task_clock_s = {};  ///< processor time used between first and last sample
  /// task_clock_s over the time between; 2.0: two busy cores
  std::optional<double> cores_busy = {};

  /// Whether a host process and its children were sampled, not a device.
  [[nodiscard]] bool is_process() const { return device == "cpu"; }
  /// Throttle reasons as text: `sw_power_cap 85 %, sw_thermal 3 %` or `none`; nullopt where no
  /// sample has reasons.
  [[nodiscard]] std::optional<std::string> throttled_by() const;
};

[[nodiscard]] SampleSummary summarize(const SampleSeries& series);

[[nodiscard]] std::span<const Field> fields_of(For<SampleSummary>);

}  // namespace rooflab::record
