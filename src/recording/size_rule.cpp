#include "size_rule.hpp"

#include <algorithm>

namespace rooflab::recording {
namespace {

/// A product of numbers of files may need more than 64 bits.
__extension__ using Wide = __int128;

struct Fraction {
  Wide above = 0;
  Wide below = 1;
};

/// nullopt: out of range.
std::optional<Fraction> product(const Fraction& one, const Fraction& other) {
  Fraction result;
  if (__builtin_mul_overflow(one.above, other.above, &result.above) ||
      __builtin_mul_overflow(one.below, other.below, &result.below)) {
    return std::nullopt;
  }
  return result;
}

}  // namespace

SizeRule::Along SizeRule::along(std::optional<std::int64_t> base, std::optional<std::int64_t> other,
                                std::optional<std::int64_t> asked) {
  if (!base || !other || !asked || *base == *other) return {};
  return {*base, *other, *asked};
}

SizeRule::SizeRule(const Known& known, const StepSize& asked)
    : batch_(along(known.base.batch, known.batch, asked.batch)),
      context_(along(known.base.context, known.context, asked.context)) {}

std::optional<std::int64_t> SizeRule::at(const Corner& corner) const {
  if (corner.is_constant()) return corner.base;
  const auto on_line = [&corner](std::int64_t other, const Along& size) -> Fraction {
    if (!size.changes() || other == corner.base) return {corner.base, 1};
    const Wide base_square = static_cast<Wide>(size.base) * size.base;
    const Wide other_square = static_cast<Wide>(size.other) * size.other;
    if (corner.base != 0 && other * base_square == corner.base * other_square) {
      return {static_cast<Wide>(size.asked) * size.asked * corner.base, base_square};
    }
    const Wide run = size.other - size.base;
    const Wide rise = static_cast<Wide>(other - corner.base) * (size.asked - size.base);
    return {corner.base * run + rise, run};
  };
  const Fraction by_batch = on_line(corner.by_batch, batch_);
  const Fraction by_context = on_line(corner.by_context, context_);
  const auto is_base = [&corner](const Fraction& of) {
    return of.below == 1 && of.above == corner.base;
  };
  std::optional<Fraction> value;
  if (is_base(by_context)) {
    value = by_batch;
  } else if (is_base(by_batch)) {
    value = by_context;
  } else if (corner.base == 0) {
    return std::nullopt;
  } else {
    value = product(by_batch, by_context);
    if (value) value = product(*value, {1, corner.base});
  }
  constexpr Wide most = std::int64_t{1} << 60;
  if (!value) return static_cast<std::int64_t>(most);
  if (value->above % value->below != 0) return std::nullopt;
  return static_cast<std::int64_t>(std::clamp<Wide>(value->above / value->below, -most, most));
}

double SizeRule::at(double base, double by_batch, double by_context) const {
  const auto on_line = [base](double other, const Along& size) {
    if (!size.changes()) return base;
    return base + (other - base) * static_cast<double>(size.asked - size.base) /
                      static_cast<double>(size.other - size.base);
  };
  const double f = on_line(by_batch, batch_);
  const double g = on_line(by_context, context_);
  if (by_context == base) return f;
  if (by_batch == base) return g;
  return base == 0.0 ? f + g : f * g / base;
}

}  // namespace rooflab::recording
