#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/record/sample.hpp"

namespace rooflab::record {

/// One quantity over a series. The mean is over time (trapezoids between neighbouring samples that
/// have the quantity), so that uneven spacing does not weigh; without such neighbours it is over
/// the samples.
struct SampledFigure {
  double mean = 0.0;
  double min = 0.0;
  double max = 0.0;
};
/// Absent where the figure is.
[[nodiscard]] inline std::optional<double> mean_of(const std::optional<SampledFigure>& figure) {
  return figure ? std::optional(figure->mean) : std::nullopt;
}
[[nodiscard]] inline std::optional<double> max_of(const std::optional<SampledFigure>& figure) {
  return figure ? std::optional(figure->max) : std::nullopt;
}

/// How often a reason held the clocks down.
struct ThrottleShare {
  std::string reason;  ///< `sw_power_cap`, ...
  double share = 0.0;  ///< share of the samples that tell reasons
};

/// What a series of samples says. What no sample has is absent. docs/methods/monitoring.md.
struct SampleSummary {
  std::string device;
  std::string name;
  std::size_t samples = 0;
  double duration_s = 0.0;                        ///< first to last sample
  std::optional<SampledFigure> core_utilization;  ///< fractions
  std::optional<SampledFigure> memory_utilization;
  std::optional<SampledFigure> memory_used_bytes;
  std::optional<SampledFigure> power_w;
  std::optional<SampledFigure> sm_clock_hz;
  std::optional<SampledFigure> memory_clock_hz;
  std::optional<SampledFigure> temperature_c;
  std::optional<SampledFigure> resident_bytes;
  /// Difference of the device's energy counter, last minus first; never from power. Absent without
  /// a counter or when it fell (the driver was loaded anew).
  std::optional<double> energy_j;
  double energy_span_s = 0.0;  ///< between the two counter readings
  /// The most frequent first; nullopt where no sample tells reasons.
  std::optional<std::vector<ThrottleShare>> throttle;
  std::optional<double> task_clock_s;  ///< processor time used between first and last sample
  std::optional<double> cores_busy;    ///< that over the time between: 2.0 is two cores' worth

  /// Whether a host process and its children were sampled, not a device.
  [[nodiscard]] bool is_process() const { return device == "cpu"; }
  /// `sw_power_cap 85 %, sw_thermal 3 %`; `none`; nullopt where no sample tells reasons.
  [[nodiscard]] std::optional<std::string> throttled_by() const;
};

[[nodiscard]] SampleSummary summarize(const SampleSeries& series);

[[nodiscard]] std::span<const Field> fields_of(For<SampleSummary>);

}  // namespace rooflab::record
