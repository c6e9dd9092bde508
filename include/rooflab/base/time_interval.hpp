#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rooflab {

/// A stretch of time on some clock, its end not included.
struct TimeInterval {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }

  friend bool operator==(const TimeInterval&, const TimeInterval&) = default;
};

/// Intervals by their start that do not touch each other: a set of points in time.
using IntervalSet = std::vector<TimeInterval>;

/// Adds to the set an interval that starts no earlier than all that were added before.
void extend(IntervalSet& set, TimeInterval next);

/// Takes intervals in any order.
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
