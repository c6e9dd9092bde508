#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/roofline.hpp"
#include "rooflab/base/described.hpp"
#include "rooflab/record/kernel_sums.hpp"

namespace rooflab::analyze {

/// All launches of one kernel name.
struct KernelGroup {
  std::string name;
  record::KernelSums sums;  ///< whole ones
  double time_s = 0.0;      ///< sum over the launches that have a time
  double time_share = 0.0;  ///< share of all kernels' time; 0 where no kernel has a time

  [[nodiscard]] double mean_s() const { return time_s / static_cast<double>(sums.launches); }
};
[[nodiscard]] std::span<const Field> fields_of(For<KernelGroup>);

/// Groups by falling time. `tensor_cores`: record::may_have_tensor_cores().
[[nodiscard]] std::vector<KernelGroup> kernel_groups(const record::KernelTable& kernels,
                                                     bool tensor_cores);

/// Time of the groups behind the first `shown` together.
[[nodiscard]] double rest_s(std::span<const KernelGroup> groups, std::size_t shown);

/// The kernels as points of a roofline, one for each name, at what was collected.
[[nodiscard]] RooflineSeries kernel_series(std::span<const KernelGroup> groups,
                                           const record::KernelSums& totals, std::string name);

/// The layers likewise: measured FLOPs, DRAM bytes and time.
[[nodiscard]] RooflineSeries counted_series(const CountedLayers& counted, std::string name);

/// Sets such points below the roofs of the device that ran them, with the roofs of their paths.
void add_kernels(Roofline& roofline, RooflineSeries kernels);

}  // namespace rooflab::analyze
