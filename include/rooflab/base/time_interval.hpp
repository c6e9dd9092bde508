#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rooflab {

/// An interval of time on some clock, without its end.
struct TimeInterval {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }

  friend bool operator==(const TimeInterval&, const TimeInterval&) = default;
};

/// Intervals that do not touch each other, sorted by start: a set of points in time.
using IntervalSet = std::vector<TimeInterval>;

/// Adds to the set an interval that does not start before any interval added earlier.
void extend(IntervalSet& set, TimeInterval next);

/// The union of intervals in any order.
[[nodiscard]] IntervalSet union_of(std::vector<TimeInterval> intervals);
[[nodiscard]] IntervalSet intersection_of(std::span<const TimeInterval> a,
                                          std::span<const TimeInterval> b);
/// The part of `a` that is not in `b`.
[[nodiscard]] IntervalSet difference_of(std::span<const TimeInterval> a,
                                        std::span<const TimeInterval> b);

[[nodiscard]] std::int64_t total_ns(std::span<const TimeInterval> set);
/// The total of the part within the window; takes logarithmic time to find it.
[[nodiscard]] std::int64_t total_within_ns(std::span<const TimeInterval> set, TimeInterval window);

}  // namespace rooflab
