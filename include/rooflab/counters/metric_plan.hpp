#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/record/kernel_figure.hpp"

namespace rooflab::counters {

/// Metrics that the hardware counts in one pass over the same work.
struct MetricSet {
  std::vector<std::string> metrics;  ///< full names
  /// CUDA-core instructions: counted by patching the code, kernel by kernel only; over a whole
  /// step's range they read 0.
  bool patches_code = false;

  friend bool operator==(const MetricSet&, const MetricSet&) = default;
};

/// Which metrics to count, set by set. One set takes one pass, so that nothing needs to be replayed:
/// consecutive steps take consecutive sets.
struct MetricPlan {
  std::vector<MetricSet> sets;
  std::vector<std::string> missing;  ///< wanted, but not known to this chip

  friend bool operator==(const MetricPlan&, const MetricPlan&) = default;
};

/// Passes that metrics take together on a chip; nullopt when one of them does not exist there.
using PassCount = std::function<std::optional<int>(std::span<const std::string>)>;

/// Totals of a whole step (user range): DRAM and L2 bytes, clocks, busy cycles, occupancy, tensor
/// operations of every input type that the chip has, and with `peaks` what the chip does at most
/// (`.peak_sustained`). No CUDA-core instructions: see MetricSet.
[[nodiscard]] MetricPlan plan_totals(std::string_view chip, const PassCount& passes, bool peaks);

/// The same kernel by kernel (auto range), CUDA-core instructions first. `absent`: tensor figures
/// that the totals found to be zero, which are left out.
[[nodiscard]] MetricPlan plan_kernels(std::string_view chip, const PassCount& passes,
                                      std::span<const record::KernelFigure> absent = {});

/// Packs metrics into as few sets of one pass as first fit finds. A metric that takes more than one
/// pass alone is in `missing`, as is one that does not exist.
[[nodiscard]] MetricPlan pack(std::span<const std::string> metrics, const PassCount& passes);

}  // namespace rooflab::counters
