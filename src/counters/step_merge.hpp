#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rooflab/record/kernel_table.hpp"

namespace rooflab::counters {

/// Values of one set of metrics launch by launch, counted on one step per pass.
struct CountedLaunches {
  std::vector<std::string> metrics;     ///< full names: `dram__bytes_read.sum`
  std::vector<std::uint32_t> launches;  ///< signature (name, grid, block) of each, in order
  /// `values[launch * metrics.size() + metric]`, as CUPTI gives them; NaN: no value.
  std::vector<double> values;
};

/// Launches of a counted step and of the reference step without a partner.
struct MergeCount {
  std::int64_t matched = 0;
  std::int64_t missing = 0;  ///< launches of the reference without a partner in the counted step
  std::int64_t strange = 0;  ///< launches of the counted step without a partner in the reference

  friend bool operator==(const MergeCount&, const MergeCount&) = default;
};

/// Merges the counters of several sets, each counted on separate steps, into the rows of one step.
/// Row i of `kernels` is the launch with signature `reference[i]`; signatures are numbers that
/// distinguish kernels with different names, grids or blocks. src/counters/step_merge.cpp describes
/// how launches and metrics are matched. Returns one count per set.
///
///     for (const std::uint32_t launch : reference) kernels.add(identity_of(launch));
///     const auto counts = merge_steps(kernels, reference, sets);
std::vector<MergeCount> merge_steps(record::KernelTable& kernels,
                                    std::span<const std::uint32_t> reference,
                                    std::span<const CountedLaunches> sets);

/// Values of one set of metrics over a whole step.
struct CountedStep {
  std::vector<std::string> metrics;
  std::vector<double> values;  ///< one per metric; NaN: no value
};
/// Merges the values of whole steps into one row.
void merge_totals(record::KernelTable& kernels, std::size_t row, std::span<const CountedStep> sets);

}  // namespace rooflab::counters
