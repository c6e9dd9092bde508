#include "group_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace rooflab::profile {
namespace {

constexpr int enough = 2;      // equal launches have no error then
constexpr int most_tries = 6;  // of a group that never has all of its passes

}  // namespace

GroupStatistics::Moments& GroupStatistics::grown(std::vector<Moments>& groups,
                                                 std::uint32_t group) {
  if (groups.size() <= group) groups.resize(group + 1);
  return groups[group];
}

void GroupStatistics::launched(std::uint32_t group) {
  if (launches_.size() <= group) launches_.resize(group + 1, 0);
  ++launches_[group];
}

void GroupStatistics::counted(std::uint32_t group, std::size_t set, std::span<const double> values,
                              const std::vector<bool>& adds_up) {
  Set& all = sets_[set];
  all.adds_up = adds_up;
  Moments& moments = grown(all.groups, group);
  moments.counts.resize(values.size(), 0);
  moments.means.resize(values.size(), 0.0);
  moments.squares.resize(values.size(), 0.0);
  moments.seen = group < launches_.size() ? launches_[group] : 0;
  ++moments.tries;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const double from_mean = values[i] - moments.means[i];
    moments.means[i] += from_mean / ++moments.counts[i];
    moments.squares[i] += from_mean * (values[i] - moments.means[i]);
  }
  moments.launches = moments.tries;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (adds_up[i]) moments.launches = std::min(moments.launches, moments.counts[i]);
  }
}

bool GroupStatistics::is_new(std::uint32_t group, std::size_t set) const {
  const std::vector<Moments>& groups = sets_[set].groups;
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
  const Moments& moments = all.groups[group];
  if (moments.launches < enough) return moments.tries < most_tries;
  return all.uncertain.contains(group);
}

bool GroupStatistics::wants_any(std::size_t set,
                                const std::function<bool(std::uint32_t group)>& may) const {
  const std::vector<Moments>& groups = sets_[set].groups;
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
  // The sum over all launches is N times the mean, its variance N^2 s^2 / n (1 - n / N): Cochran,
  // Sampling Techniques, 3rd edition, (2.20), a stratum for each group.
  const auto variance = [&](std::uint32_t group, std::size_t metric) {
    const Moments& moments = all.groups[group];
    if (group >= launches_.size() || metric >= moments.counts.size()) return 0.0;
    const int count = moments.counts[metric];
    const auto launches = static_cast<double>(launches_[group]);
    if (count < 2 || launches <= count) return 0.0;
    const double s2 = moments.squares[metric] / (count - 1);
    return launches * launches * s2 / count * (1.0 - count / launches);
  };
  for (std::size_t metric = 0; metric < all.adds_up.size(); ++metric) {
    if (!all.adds_up[metric]) continue;
    double sum = 0.0;
    double variances = 0.0;
    for (std::uint32_t group = 0; group < all.groups.size(); ++group) {
      const Moments& moments = all.groups[group];
      if (group >= launches_.size() || metric >= moments.means.size()) continue;
      sum += static_cast<double>(launches_[group]) * moments.means[metric];
      variances += variance(group, metric);
    }
    if (sum <= 0.0 || variances <= 0.0) continue;
    const double error = std::sqrt(variances) / sum;
    all.error = std::max(all.error, error);
    if (error <= error_) continue;
    // Those that have most of the error.
    const double share = variances / (2.0 * static_cast<double>(all.groups.size()));
    for (std::uint32_t group = 0; group < all.groups.size(); ++group) {
      if (variance(group, metric) > share) all.uncertain.insert(group);
    }
  }
}

}  // namespace rooflab::profile
