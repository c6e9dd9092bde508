#include <algorithm>

#include "assert.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab {

void extend(IntervalSet& set, TimeInterval next) {
  if (set.empty()) {
    set.push_back(next);
    return;
  }
  TimeInterval& last = set.back();
  ROOFLAB_ASSERT(next.start_ns >= last.start_ns);
  if (next.end_ns <= last.end_ns) return;
  if (next.start_ns <= last.end_ns) {
    last.end_ns = next.end_ns;
  } else {
    set.push_back(next);
  }
}

IntervalSet union_of(std::vector<TimeInterval> intervals) {
  std::ranges::sort(intervals, {}, &TimeInterval::start_ns);
  IntervalSet set;
  for (const TimeInterval& interval : intervals) extend(set, interval);
  return set;
}

IntervalSet intersection_of(std::span<const TimeInterval> a, std::span<const TimeInterval> b) {
  IntervalSet common;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const TimeInterval both{std::max(a[i].start_ns, b[j].start_ns),
                            std::min(a[i].end_ns, b[j].end_ns)};
    if (both.start_ns < both.end_ns) common.push_back(both);
    if (a[i].end_ns < b[j].end_ns) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

IntervalSet difference_of(std::span<const TimeInterval> a, std::span<const TimeInterval> b) {
  IntervalSet rest;
  std::size_t j = 0;
  for (const TimeInterval& interval : a) {
    std::int64_t from = interval.start_ns;
    while (j < b.size() && b[j].end_ns <= from) ++j;
    std::size_t k = j;  // the last of b may reach into the next of a
    for (; k < b.size() && b[k].start_ns < interval.end_ns; ++k) {
      if (b[k].start_ns > from) rest.push_back({from, b[k].start_ns});
      from = std::max(from, b[k].end_ns);
    }
    if (from < interval.end_ns) rest.push_back({from, interval.end_ns});
    if (k > j) j = k - 1;
  }
  return rest;
}

std::int64_t total_ns(std::span<const TimeInterval> set) {
  std::int64_t sum = 0;
  for (const TimeInterval& interval : set) sum += interval.duration_ns();
  return sum;
}

std::int64_t total_within_ns(std::span<const TimeInterval> set, TimeInterval window) {
  auto at = std::ranges::upper_bound(set, window.start_ns, {}, &TimeInterval::end_ns);
  std::int64_t sum = 0;
  for (; at != set.end() && at->start_ns < window.end_ns; ++at) {
    sum += std::min(at->end_ns, window.end_ns) - std::max(at->start_ns, window.start_ns);
  }
  return sum;
}

}  // namespace rooflab
