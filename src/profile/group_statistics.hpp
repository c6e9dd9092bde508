#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "sample_moments.hpp"

namespace rooflab::profile {

/// Statistics of the counted launches by group, and whether launches are worth counting again.
/// Numbers of groups and sets count from 0.
class GroupStatistics {
 public:
  /// `error`: sufficient relative standard error of a sum over all launches.
  GroupStatistics(std::size_t sets, double error) : error_(error), sets_(sets) {}

  void launched(std::uint32_t group);
  /// Takes the values of one launch for a set of metrics; NaN: none. `adds_up`: the metric is an
  /// amount; else it is a share or a rate, whose error is ignored.
  void counted(std::uint32_t group, std::size_t set, std::span<const double> values,
               const std::vector<bool>& adds_up);
  /// Whether the set never counted some amount of the group, and was tried only a few times.
  [[nodiscard]] bool is_new(std::uint32_t group, std::size_t set) const;
  /// Whether the set should count more launches of the group: fewer than two were counted, or they
  /// differ so much that the sums over all groups are uncertain.
  [[nodiscard]] bool wants(std::uint32_t group, std::size_t set) const;
  /// Whether some group that `may` be counted is wanted, and was launched again since it was
  /// counted.
  [[nodiscard]] bool wants_any(std::size_t set,
                               const std::function<bool(std::uint32_t group)>& may) const;
  /// Whether some group that `may` be counted is new and was launched at least twice.
  [[nodiscard]] bool has_new(std::size_t set,
                             const std::function<bool(std::uint32_t group)>& may) const;

  /// Finds groups whose counted launches differ.
  void look(std::size_t set);
  /// Largest relative standard error of the sums over all launches, as look() found it. Groups that
  /// were counted fewer than twice have no error.
  [[nodiscard]] double error(std::size_t set) const { return sets_[set].error; }

  /// Number of launches of every group, by group number.
  [[nodiscard]] const std::vector<std::uint64_t>& launches() const { return launches_; }

 private:
  struct Group {
    std::int64_t launches = 0;  ///< launches with a value, for the amount with the fewest
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
