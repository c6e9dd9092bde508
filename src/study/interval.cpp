// Interval arithmetic: an operation's result lies between the least and the largest result at the
// ends of its operands, since + - * / are monotone in each operand (of a quotient only while the
// divisor keeps its sign). Rounding of the last bit is neglected: the ends are statistics.
//
// When it is wrong: operands are taken as independent. A figure that stands twice in a text gets
// a wider interval than it has, x - x is not 0; never a narrower one.
//
// Source: Moore, Kearfott, Cloud, "Introduction to Interval Analysis", SIAM 2009, chapter 2.

#include "interval.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace rooflab::study {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// 0 times infinity and the like: nothing is known.
Interval hull(double value, std::initializer_list<double> ends) {
  const bool known =
      std::none_of(ends.begin(), ends.end(), [](double end) { return std::isnan(end); });
  if (!known) return {value, -infinity, infinity};
  const auto [low, high] = std::minmax(ends);
  return {value, low, high};
}

}  // namespace

Interval operator-(const Interval& a) { return {-a.value, -a.high, -a.low}; }

Interval operator+(const Interval& a, const Interval& b) {
  return hull(a.value + b.value, {a.low + b.low, a.high + b.high});
}

Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

Interval operator*(const Interval& a, const Interval& b) {
  return hull(a.value * b.value, {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

Interval operator/(const Interval& a, const Interval& b) {
  const double value = a.value / b.value;
  if (b.low <= 0.0 && b.high >= 0.0) return {value, -infinity, infinity};
  return hull(value, {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
}

}  // namespace rooflab::study
