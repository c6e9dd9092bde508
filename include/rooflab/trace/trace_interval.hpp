#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rooflab::trace {

/// A stretch of time on a trace's clock, its end not included.
struct Interval {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Intervals by their start that do not touch each other: a set of points in time.
using IntervalSet = std::vector<Interval>;

/// Adds to the set an interval that starts no earlier than all that were added before.
void extend(IntervalSet& set, Interval next);

/// Of intervals in any order.
[[nodiscard]] IntervalSet union_of(std::vector<Interval> intervals);
[[nodiscard]] IntervalSet intersection_of(std::span<const Interval> a, std::span<const Interval> b);
/// What of `a` is not in `b`.
[[nodiscard]] IntervalSet difference_of(std::span<const Interval> a, std::span<const Interval> b);

[[nodiscard]] std::int64_t total_ns(std::span<const Interval> set);
/// Of the part within the window; takes logarithmic time to find it.
[[nodiscard]] std::int64_t total_within_ns(std::span<const Interval> set, Interval window);

}  // namespace rooflab::trace
