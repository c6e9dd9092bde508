#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metric_plan.hpp"
#include "rooflab/record/hardware_samples.hpp"

namespace rooflab::profile {

/// Metrics of one pass, in which all samples of a device have to be taken.
struct SamplingList {
  std::vector<std::string> metrics;   ///< full names
  std::vector<std::string> left_out;  ///< figures that have no place among them: `FP64 pipe`

  friend bool operator==(const SamplingList&, const SamplingList&) = default;
};

/// The most important figures that `fit` together: bytes of DRAM first, then the tensor pipe, warps
/// in flight, the FP32 pipe, the multiprocessors in use, the FP64 and the FP16 pipe.
[[nodiscard]] SamplingList sampling_metrics(const MetricsExist& fit);

/// What a metric of such a list tells; `factor` times its value is the figure. nullopt for every
/// other metric.
struct SampledMetric {
  record::HardwareSamples::Column record::HardwareSamples::*column;
  double factor = 1.0;
};
[[nodiscard]] std::optional<SampledMetric> sampled_metric(std::string_view name);

/// Whether a chip starts samples by a clock of constant frequency, in ns; else it counts cycles of
/// its system clock. From cupti_pmsampling.h: Turing and GA100 (and what is older) do not.
[[nodiscard]] bool samples_by_time(std::string_view chip);

}  // namespace rooflab::profile
