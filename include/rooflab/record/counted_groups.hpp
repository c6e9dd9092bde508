#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/record/kernel_sums.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::record {

/// How often the kernels of a group were launched, timed and counted.
struct GroupLaunches {
  std::int64_t launches = 0;
  std::int64_t timed_launches = 0;    ///< with a time, beside counters or without
  std::int64_t counted_launches = 0;  ///< that some counter was read of; 0: the group has none

  friend bool operator==(const GroupLaunches&, const GroupLaunches&) = default;
};
[[nodiscard]] std::span<const Field> fields_of(For<GroupLaunches>);

/// A program that was counted launch by launch, on some launches of each group. A group are all
/// launches of one kernel with the same grid, block and shared memory.
struct CountedGroups {
  std::string chip;       ///< CUPTI's name: `GH100`
  double window_s = 0.0;  ///< time that launches were counted or could have been
  double held_s = 0.0;    ///< time of it that the program was held up for counters

  std::vector<GroupLaunches> groups;
  /// A row a group. A sum is that of all its launches: their number times the mean of those that
  /// were timed or counted. A share or a rate is the mean.
  KernelTable totals;
  /// The same rows: standard errors of the sums. Absent where fewer than two launches have it.
  KernelTable errors;

  /// A row a kernel's name: the launches of its groups that lack a figure, estimated from the
  /// groups with other grids that have it, in proportion to blocks.
  KernelTable estimates;
  /// The same rows: standard errors. Absent where a single group has the figure.
  KernelTable estimate_errors;
};
[[nodiscard]] std::span<const Field> fields_of(For<CountedGroups>);

/// What the groups say together.
struct GroupSums {
  KernelSums sums;  ///< measured groups, and estimates for the others
  /// Standard errors of the sums. Of FLOPs the errors of their parts are added up: an upper bound.
  LaunchFigures errors;
  std::int64_t launches = 0;
  std::int64_t groups = 0;
  std::int64_t once = 0;     ///< groups of more launches of which one was counted: without an error
  std::int64_t without = 0;  ///< groups that were never counted
  std::optional<double> without_s;      ///< time of their kernels; nullopt: not known
  std::optional<double> covered_share;  ///< kernel time of groups with FLOPs and bytes, of all
  /// Kernel time of those and of the groups whose FLOPs and bytes are estimated, of all.
  std::optional<double> known_share;
};
[[nodiscard]] std::span<const Field> fields_of(For<GroupSums>);
/// `tensor_cores`: the chip may have them.
[[nodiscard]] GroupSums sums_of(const CountedGroups& groups, bool tensor_cores);

}  // namespace rooflab::record
