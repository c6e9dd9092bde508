#pragma once

#include <cstdint>
#include <optional>

#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

/// A number of a step in three sizes: the first, another batch, another context.
struct Corner {
  std::int64_t base = 0;
  std::int64_t by_batch = 0;
  std::int64_t by_context = 0;

  [[nodiscard]] bool is_constant() const { return base == by_batch && base == by_context; }
  friend bool operator==(const Corner&, const Corner&) = default;
};

/// Derives numbers of a step from its size. With b0, c0 the size of the first recording, b1 the
/// batch of the second and c1 the context of the third,
///
///     v(b, c) = f(b) g(c) / v(b0, c0)      f linear through (b0, c0) and (b1, c0)
///                                          g linear through (b0, c0) and (b0, c1)
///
/// If the ratio of the two numbers is the square of the sizes' ratio, f or g is quadratic.
class SizeRule {
 public:
  /// Batches and contexts of the recordings.
  struct Known {
    StepSize base;
    std::optional<std::int64_t> batch;    ///< b1; nullopt: only one was recorded
    std::optional<std::int64_t> context;  ///< c1; nullopt: only one was recorded
  };
  SizeRule(const Known& known, const StepSize& asked);

  /// Number in the requested size; nullopt: not whole. Out of range it is 2^60 or -2^60.
  [[nodiscard]] std::optional<std::int64_t> at(const Corner& corner) const;
  /// Number in the requested size that need not be whole.
  [[nodiscard]] double at(double base, double by_batch, double by_context) const;

 private:
  /// Batches or contexts: of the first recording, of the other one, and the requested one.
  struct Along {
    std::int64_t base = 0;
    std::int64_t other = 0;
    std::int64_t asked = 0;

    [[nodiscard]] bool changes() const { return asked != base; }
  };
  static Along along(std::optional<std::int64_t> base, std::optional<std::int64_t> other,
                     std::optional<std::int64_t> asked);

  /// Products of numbers from files may need more than 64 bits.
  __extension__ using Wide = __int128;
  struct Fraction {
    Wide above = 0;
    Wide below = 1;
  };
  static std::optional<Fraction> product(const Fraction& one, const Fraction& other);
  static std::optional<Fraction> along(std::int64_t base, std::int64_t other, const Along& size);

  Along batch_;
  Along context_;
};

}  // namespace rooflab::recording
