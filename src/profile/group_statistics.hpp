#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "sample_moments.hpp"

namespace rooflab::profile {

/// What was counted of groups of like launches, and which of them are worth counting again. Numbers
/// of groups and of sets count from 0.
class GroupStatistics {
 public:
  /// `error`: relative standard error of a sum over all launches that is small enough.
  GroupStatistics(std::size_t sets, double error) : error_(error), sets_(sets) {}

  void launched(std::uint32_t group);
  /// Values of one launch by a set of metrics; NaN: none. Where `adds_up`, a metric is an amount,
  /// else a share or a rate, whose error decides nothing.
  void counted(std::uint32_t group, std::size_t set, std::span<const double> values,
               const std::vector<bool>& adds_up);
  /// Some amount of the group was never counted by the set, which was tried a few times at most.
  [[nodiscard]] bool is_new(std::uint32_t group, std::size_t set) const;
  /// Launches of the group are worth counting by the set: fewer than two were counted, or they
  /// differ so much that the sums of all groups are not certain.
  [[nodiscard]] bool wants(std::uint32_t group, std::size_t set) const;
  /// Some group of those that `may` be counted is wanted, and came again since it was counted.
  [[nodiscard]] bool wants_any(std::size_t set,
                               const std::function<bool(std::uint32_t group)>& may) const;
  /// The same of groups that are new and came at least twice.
  [[nodiscard]] bool has_new(std::size_t set,
                             const std::function<bool(std::uint32_t group)>& may) const;

  /// Looks for groups whose launches differ, in what was counted until now.
  void look(std::size_t set);
  /// Largest relative standard error of the sums over all launches, as look() found it. Groups that
  /// were counted less than twice have none.
  [[nodiscard]] double error(std::size_t set) const { return sets_[set].error; }

  /// Launches of every group, by its number.
  [[nodiscard]] const std::vector<std::uint64_t>& launches() const { return launches_; }

 private:
  struct Group {
    std::int64_t launches = 0;  ///< with a value, of the amount that has fewest
    std::int64_t tries = 0;
    std::uint64_t seen = 0;  ///< launches of the group when it was counted last
    std::vector<SampleMoments> metrics;
  };
  struct Set {
    std::vector<Group> groups;
    std::vector<bool> adds_up;
    std::unordered_set<std::uint32_t> uncertain;
    double error = 0.0;
  };
  double error_;
  std::vector<Set> sets_;
  std::vector<std::uint64_t> launches_;
};

}  // namespace rooflab::profile
