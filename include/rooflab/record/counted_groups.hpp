#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/record/kernel_sums.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::record {

/// Numbers of launches of a group: all, timed and counted.
struct GroupLaunches {
  std::int64_t launches = 0;
  std::int64_t timed_launches = 0;    ///< launches with a time, with or without counters
  std::int64_t counted_launches = 0;  ///< launches with some counter; 0: the group has none

  friend bool operator==(const GroupLaunches&, const GroupLaunches&) = default;
};
[[nodiscard]] std::span<const Field> fields_of(For<GroupLaunches>);

/// A program whose counters were read launch by launch, for some launches of each group. A group
/// has all launches of one kernel with the same grid, block and shared memory.
struct CountedGroups {
  std::string chip = {};  ///< CUPTI's name: `GH100`
  double window_s = 0.0;  ///< time in which launches were or could have been counted
  double held_s = 0.0;    ///< part of `window_s` in which counting held up the program

  std::vector<GroupLaunches> groups = {};
  /// One row per group. Sums are for all its launches: their number times the mean of the timed or
  /// counted ones. Shares and rates are means.
  KernelTable totals = {};
  /// Standard errors of the sums, with the rows of `totals`. Absent where fewer than two launches
  /// have the figure.
  KernelTable errors = {};

  /// One row per kernel name: launches of its groups without a figure, estimated from groups with
  /// other grids that have it, in proportion to blocks.
  KernelTable estimates = {};
  /// Standard errors with the rows of `estimates`. Absent where a single group has the figure.
  KernelTable estimate_errors = {};
};
[[nodiscard]] std::span<const Field> fields_of(For<CountedGroups>);

/// Sums over all groups.
struct GroupSums {
  KernelSums sums = {};  ///< measured groups, and estimates for the others
  /// Standard errors of the sums. Errors of the parts of FLOPs are added up: an upper bound.
  LaunchFigures errors = {};
  std::int64_t launches = 0;
  std::int64_t groups = 0;
  std::int64_t once = 0;     ///< groups with one counted launch of several: without an error
  std::int64_t without = 0;  ///< groups that were never counted
  std::optional<double> without_s = {};  ///< kernel time of those groups; nullopt: not known
  /// Share of kernel time in groups with FLOPs and bytes
  std::optional<double> covered_share = {};
  /// Share of kernel time in groups whose FLOPs and bytes are counted or estimated.
  std::optional<double> known_share = {};
};
[[nodiscard]] std::span<const Field> fields_of(For<GroupSums>);
/// Sums over all groups. `tensor_cores`: whether the chip may have them.
[[nodiscard]] GroupSums sums_of(const CountedGroups& groups, bool tensor_cores);

}  // namespace rooflab::record
