#include "group_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rooflab::profile {
namespace {

constexpr int enough = 2;      // equal launches have no error then
constexpr int most_tries = 6;  // of a group that never has all of its passes

}  // namespace

void GroupStatistics::launched(std::uint32_t group) {
  if (launches_.size() <= group) launches_.resize(group + 1, 0);
  ++launches_[group];
}

void GroupStatistics::counted(std::uint32_t group, std::size_t set, std::span<const double> values,
                              const std::vector<bool>& adds_up) {
  Set& all = sets_[set];
  all.adds_up = adds_up;
  if (all.groups.size() <= group) all.groups.resize(group + 1);
  Group& counted = all.groups[group];
  counted.metrics.resize(values.size());
  counted.seen = group < launches_.size() ? launches_[group] : 0;
  counted.launches = ++counted.tries;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) counted.metrics[i].add(values[i]);
    if (adds_up[i]) counted.launches = std::min(counted.launches, counted.metrics[i].count);
  }
}

bool GroupStatistics::is_new(std::uint32_t group, std::size_t set) const {
  const std::vector<Group>& groups = sets_[set].groups;
  if (groups.size() <= group) return true;
  return groups[group].launches == 0 && groups[group].tries < most_tries;
}

bool GroupStatistics::has_new(std::size_t set,
                              const std::function<bool(std::uint32_t group)>& may) const {
  for (std::uint32_t group = 0; group < launches_.size(); ++group) {
    if (launches_[group] >= 2 && is_new(group, set) && may(group)) return true;
  }
  return false;
}

bool GroupStatistics::wants(std::uint32_t group, std::size_t set) const {
  const Set& all = sets_[set];
  if (all.groups.size() <= group) return true;
  const Group& counted = all.groups[group];
  if (counted.launches < enough) return counted.tries < most_tries;
  return all.uncertain.contains(group);
}

bool GroupStatistics::wants_any(std::size_t set,
                                const std::function<bool(std::uint32_t group)>& may) const {
  const std::vector<Group>& groups = sets_[set].groups;
  for (std::uint32_t group = 0; group < launches_.size(); ++group) {
    if (launches_[group] == 0 || !wants(group, set) || !may(group)) continue;
    if (group >= groups.size() || launches_[group] > groups[group].seen) return true;
  }
  return false;
}

void GroupStatistics::look(std::size_t set) {
  Set& all = sets_[set];
  all.uncertain.clear();
  all.error = 0.0;
  const std::size_t groups = std::min(all.groups.size(), launches_.size());
  for (std::size_t metric = 0; metric < all.adds_up.size(); ++metric) {
    if (!all.adds_up[metric]) continue;
    double sum = 0.0;
    std::vector<double> variances(groups, 0.0);
    for (std::size_t group = 0; group < groups; ++group) {
      if (all.groups[group].metrics.empty()) continue;
      const SampleMoments& moments = all.groups[group].metrics[metric];
      const auto launches = static_cast<double>(launches_[group]);
      sum += moments.sum(launches).value_or(0.0);
      const double error = moments.error(launches).value_or(0.0);
      variances[group] = error * error;
    }
    const double variance = std::reduce(variances.begin(), variances.end());
    if (sum <= 0.0 || variance <= 0.0) continue;
    const double error = std::sqrt(variance) / sum;
    all.error = std::max(all.error, error);
    if (error <= error_) continue;
    // Those that have most of the error.
    const double share = variance / (2.0 * static_cast<double>(all.groups.size()));
    for (std::uint32_t group = 0; group < groups; ++group) {
      if (variances[group] > share) all.uncertain.insert(group);
    }
  }
}

}  // namespace rooflab::profile
