#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/record/kernel_figure.hpp"

namespace rooflab::profile {

/// Metrics that are to be counted together, in as many passes as they need.
struct MetricList {
  std::vector<std::string> metrics;  ///< full names, all of which the chip has
  std::vector<std::string> missing;  ///< wanted, but not known to this chip

  friend bool operator==(const MetricList&, const MetricList&) = default;
};

/// All of these names exist on the chip. A question takes CUPTI's host library some milliseconds:
/// one is asked, and one a name (about thirty) only where the answer is no.
using MetricsExist = std::function<bool(std::span<const std::string>)>;

/// The metric whose greatest value a clock `metric` tells: its name without `.peak_sustained`;
/// nullopt for any other.
[[nodiscard]] std::optional<std::string> peaked_metric(std::string_view metric);

/// Totals of a whole step (user range): DRAM bytes read and written, floating-point tensor
/// operations of every input type that the chip has, L2 bytes, clock, busy cycles and occupancy;
/// with `peaks` what the chip does at most (`.peak_sustained`) and the clock of its memory. No
/// CUDA-core instructions, which may read 0 over a whole step (docs/methods/counters.md), and no
/// integer tensor types, which are not FLOPs and cost up to five passes.
[[nodiscard]] MetricList totals_metrics(std::string_view chip, const MetricsExist& exist,
                                        bool peaks);

/// The same kernel by kernel (auto range): CUDA-core instructions and all of the above but peaks.
/// `absent`: tensor figures that the totals found to be zero, which are left out.
[[nodiscard]] MetricList kernel_metrics(std::string_view chip, const MetricsExist& exist,
                                        std::span<const record::KernelFigure> absent);

/// For a whole step: what is counted in no configuration with others; empty where the chip has
/// none.
[[nodiscard]] MetricList apart_metrics(std::string_view chip, const MetricsExist& exist);

/// Metrics for single launches, wherever they come: CUDA-core instructions, bytes, clock, busy
/// cycles, occupancy, and whether the tensor pipe had work.
[[nodiscard]] MetricList launch_metrics(std::string_view chip, const MetricsExist& exist);
/// Floating-point tensor operations of every input type; empty where the chip has none.
[[nodiscard]] MetricList tensor_metrics(std::string_view chip, const MetricsExist& exist);

}  // namespace rooflab::profile
