#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/roofline.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::analyze {

/// Sums over all launches of a record. nullopt: not collected, and named in `not_collected`.
struct KernelTotals {
  std::size_t kernels = 0;
  std::optional<double> time_s;
  std::optional<double> dram_bytes;
  std::optional<double> fp64_flops;  ///< CUDA cores
  std::optional<double> fp32_flops;
  std::optional<double> fp16_flops;  ///< what may be the compiler's moves included
  std::optional<double> tensor_flops;
  /// All of the above but moves. nullopt where fp32 work, or on a chip with tensor cores tensor
  /// work, was not collected: a sum without them would pass for the whole. fp64 and fp16 that were
  /// not collected leave it a lower bound, which `not_collected` tells.
  std::optional<double> flops;
  std::optional<double> intensity;  ///< FLOP per DRAM byte, of kernels with both

  std::optional<double> fp16_move_flops;  ///< part of `fp16_flops` that is no arithmetic
  double collected_flops = 0.0;           ///< sum of what was collected, however incomplete
  std::map<record::KernelFigure, double> tensor_by_type;
  std::vector<std::string> not_collected;  ///< keys of the totals above that are nullopt
  /// Kernels that have the figure over all kernels, by key; only of totals that exist.
  std::map<std::string, double> coverage;
};

/// `compute_capability` (`9.0`) says whether the chip has tensor cores (7.0 and above); unknown
/// counts as having them.
[[nodiscard]] KernelTotals kernel_totals(const record::KernelTable& kernels,
                                         const std::optional<std::string>& compute_capability);

/// All launches of one kernel name.
struct KernelGroup {
  std::string name;
  std::size_t launches = 0;
  double time_s = 0.0;
  double time_share = 0.0;  ///< of all kernels' time; 0 where no kernel has a time
  double shortest_s = 0.0;
  double longest_s = 0.0;
  std::optional<double> dram_bytes;  ///< nullopt when one of the launches lacks them; so the rest
  std::optional<double> collected_flops;  ///< however incomplete
  std::optional<double> flops;            ///< nullopt as in KernelTotals
  std::optional<double> tensor_flops;
  std::optional<double> occupancy;  ///< weighted by time, 0 to 1

  [[nodiscard]] std::optional<double> cuda_core_flops() const;
  [[nodiscard]] std::optional<double> intensity() const;
  [[nodiscard]] std::optional<double> flops_per_s() const;
  [[nodiscard]] std::optional<double> bytes_per_s() const;
};

/// By falling time.
[[nodiscard]] std::vector<KernelGroup> kernel_groups(
    const record::KernelTable& kernels, const std::optional<std::string>& compute_capability);

/// The kernels as points of a roofline, one for each name, and the arithmetic paths they use.
struct KernelSeries {
  RooflineSeries series;
  std::vector<ArithmeticPath> paths;
};
[[nodiscard]] KernelSeries kernel_series(const record::KernelTable& kernels,
                                         const std::optional<std::string>& compute_capability,
                                         std::string name);

/// Sets kernels below the roofs of the device that ran them, with the roofs of their paths.
void add_kernels(Roofline& roofline, KernelSeries kernels);

}  // namespace rooflab::analyze
