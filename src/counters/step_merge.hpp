#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rooflab/record/kernel_table.hpp"

namespace rooflab::counters {

/// What one set of metrics counted, launch by launch, on as many steps as it has passes.
struct CountedLaunches {
  std::vector<std::string> metrics;     ///< full names: `dram__bytes_read.sum`
  std::vector<std::uint32_t> launches;  ///< signature (name, grid, block) of each, in order
  /// `values[launch * metrics.size() + metric]`, as CUPTI gives them; NaN: no value.
  std::vector<double> values;
};

/// How the launches of a counted step found theirs in the reference step.
struct MergeCount {
  std::int64_t matched = 0;
  std::int64_t missing = 0;  ///< launches of the reference without their like in the counted step
  std::int64_t strange = 0;  ///< launches of the counted step without theirs in the reference

  friend bool operator==(const MergeCount&, const MergeCount&) = default;
};

/// Puts the counters of several sets, each counted on steps of its own, into the rows of one step.
/// Row i of `kernels` is the launch with signature `reference[i]`; signatures are whatever numbers
/// tell kernels with different names, grids or blocks apart. src/counters/step_merge.cpp says how
/// launches and metrics are matched. The result is one count for each set.
///
///     for (const std::uint32_t launch : reference) kernels.add(identity_of(launch));
///     const auto counts = merge_steps(kernels, reference, sets);
std::vector<MergeCount> merge_steps(record::KernelTable& kernels,
                                    std::span<const std::uint32_t> reference,
                                    std::span<const CountedLaunches> sets);

/// What one set of metrics counted over a whole step.
struct CountedStep {
  std::vector<std::string> metrics;
  std::vector<double> values;  ///< one per metric; NaN: no value
};
/// Puts them into one row, in the same way.
void merge_totals(record::KernelTable& kernels, std::size_t row, std::span<const CountedStep> sets);

}  // namespace rooflab::counters
