#pragma once

namespace rooflab::study {

/// A value and what it may lie between. `low <= value <= high`, where infinite ends mean that
/// nothing is known on that side.
struct Interval {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;

  [[nodiscard]] static Interval exact(double value) { return {value, value, value}; }
};

[[nodiscard]] Interval operator-(const Interval& a);
[[nodiscard]] Interval operator+(const Interval& a, const Interval& b);
[[nodiscard]] Interval operator-(const Interval& a, const Interval& b);
[[nodiscard]] Interval operator*(const Interval& a, const Interval& b);
/// Without ends where the divisor may be 0. The value follows IEEE 754: x / 0 is not finite.
[[nodiscard]] Interval operator/(const Interval& a, const Interval& b);

}  // namespace rooflab::study
