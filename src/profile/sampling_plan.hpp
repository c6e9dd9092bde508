#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metric_plan.hpp"
#include "rooflab/record/hardware_samples.hpp"

namespace rooflab::profile {

/// Metrics that fit in one pass, because samples of a device are taken in a single pass.
struct SamplingList {
  std::vector<std::string> metrics;   ///< full names
  std::vector<std::string> left_out;  ///< figures without room in the pass: `FP64 pipe`

  friend bool operator==(const SamplingList&, const SamplingList&) = default;
};

/// Metrics of the most important figures that `fit` together: bytes of DRAM first, then the tensor
/// pipe, warps in flight, the FP32 pipe, the multiprocessors in use, the FP64 and the FP16 pipe.
[[nodiscard]] SamplingList sampling_metrics(const MetricsExist& fit);

/// Meaning of a metric of a SamplingList; `factor` times its value is the figure.
struct SampledMetric {
  record::HardwareSamples::Column record::HardwareSamples::*column;
  double factor = 1.0;
};
[[nodiscard]] std::optional<SampledMetric> sampled_metric(std::string_view name);

/// Whether a chip starts samples by a clock of constant frequency, in ns; else it counts cycles of
/// its system clock. Turing, GA100 and older chips do not. Source: cupti_pmsampling.h.
[[nodiscard]] bool samples_by_time(std::string_view chip);

}  // namespace rooflab::profile
