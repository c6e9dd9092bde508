#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/record/kernel_figure.hpp"

namespace rooflab::profile {

/// Metrics to count together, in as many passes as they need.
struct MetricList {
  std::vector<std::string> metrics;  ///< full names, all of which the chip has
  std::vector<std::string> missing;  ///< requested, but not known for this chip

  friend bool operator==(const MetricList&, const MetricList&) = default;
};

/// Returns whether all names exist on the chip. A call takes CUPTI's host library some
/// milliseconds, so all names are checked at once, and one by one (about thirty) only if that
/// fails.
using MetricsExist = std::function<bool(std::span<const std::string>)>;

/// The metric whose peak per clock `metric` is: its name without `.peak_sustained`; nullopt for any
/// other.
[[nodiscard]] std::optional<std::string> peaked_metric(std::string_view metric);

/// Totals of a whole step (user range): DRAM bytes read and written, floating-point tensor
/// operations of every input type that the chip has, L2 bytes, clock, busy cycles and occupancy;
/// with `peaks` also the chip's peaks (`.peak_sustained`) and the clock of its memory. No CUDA-core
/// instructions, which may read 0 over a whole step (docs/methods/counters.md), and no integer
/// tensor types, which are not FLOPs and cost up to five passes.
[[nodiscard]] MetricList totals_metrics(std::string_view chip, const MetricsExist& exist,
                                        bool peaks);

/// Metrics counted kernel by kernel (auto range): CUDA-core instructions and those of
/// totals_metrics() without peaks. `absent`: tensor figures that are zero in the totals and are
/// left out.
[[nodiscard]] MetricList kernel_metrics(std::string_view chip, const MetricsExist& exist,
                                        std::span<const record::KernelFigure> absent);

/// Metrics of a whole step that cannot be counted together with others; empty where the chip has
/// none.
[[nodiscard]] MetricList apart_metrics(std::string_view chip, const MetricsExist& exist);

/// Metrics for single launches anywhere in a program: CUDA-core instructions, bytes, clock, busy
/// cycles, occupancy, and whether the tensor pipe had work.
[[nodiscard]] MetricList launch_metrics(std::string_view chip, const MetricsExist& exist);
/// Metrics of floating-point tensor operations of every input type; empty where the chip has none.
[[nodiscard]] MetricList tensor_metrics(std::string_view chip, const MetricsExist& exist);

}  // namespace rooflab::profile
