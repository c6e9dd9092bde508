#pragma once

#include <compare>
#include <cstdint>
#include <span>

namespace rooflab {

/// Sum of 64-bit counts; throws Error (input) on overflow, so that an absurd batch size gives an
/// error and never a wrapped figure.
[[nodiscard]] std::int64_t checked_add(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t checked_multiply(std::int64_t a, std::int64_t b);

/// Product of all factors (1 for none); throws Error (input) on overflow.
[[nodiscard]] std::int64_t checked_product(std::span<const std::int64_t> factors);

/// An exact, overflow-checked count of one unit. Different units do not mix.
template <class Unit>
class Count {
 public:
  constexpr Count() = default;
  constexpr explicit Count(std::int64_t value) : value_(value) {}

  [[nodiscard]] constexpr std::int64_t value() const { return value_; }
  [[nodiscard]] constexpr double as_double() const { return static_cast<double>(value_); }

  Count& operator+=(Count other) {
    value_ = checked_add(value_, other.value_);
    return *this;
  }
  Count& operator-=(Count other) {
    value_ -= other.value_;
    return *this;
  }
  [[nodiscard]] friend Count operator+(Count a, Count b) { return a += b; }
  [[nodiscard]] friend Count operator-(Count a, Count b) { return a -= b; }
  [[nodiscard]] friend Count operator*(Count a, std::int64_t factor) {
    return Count(checked_multiply(a.value_, factor));
  }
  // NOLINTNEXTLINE(modernize-use-nullptr): a comparison has no pointer
  [[nodiscard]] friend constexpr auto operator<=>(Count, Count) = default;

 private:
  std::int64_t value_ = 0;
};

using Bytes = Count<struct BytesUnit>;  ///< bytes; printed in SI units unless MiB is written
using Macs = Count<struct MacsUnit>;    ///< multiply-accumulates
using Flops = Count<struct FlopsUnit>;  ///< floating-point operations; 1 MAC = 2 FLOP

/// A duration in seconds.
struct Seconds {
  double value = 0.0;

  Seconds& operator+=(Seconds other) {
    value += other.value;
    return *this;
  }
  [[nodiscard]] friend Seconds operator+(Seconds a, Seconds b) { return {a.value + b.value}; }
  // NOLINTNEXTLINE(modernize-use-nullptr): a comparison has no pointer
  [[nodiscard]] friend constexpr auto operator<=>(Seconds, Seconds) = default;
};

/// FLOPs of multiply-accumulates: two each.
[[nodiscard]] inline Flops flops_of(Macs macs) { return Flops(checked_multiply(macs.value(), 2)); }

}  // namespace rooflab
