#include "size_rule.hpp"

#include <algorithm>

namespace rooflab::recording {

/// nullopt: out of range.
std::optional<SizeRule::Fraction> SizeRule::product(const Fraction& one, const Fraction& other) {
  Fraction result;
  if (__builtin_mul_overflow(one.above, other.above, &result.above) ||
      __builtin_mul_overflow(one.below, other.below, &result.below)) {
    return std::nullopt;
  }
  return result;
}

SizeRule::Along SizeRule::along(std::optional<std::int64_t> base, std::optional<std::int64_t> other,
                                std::optional<std::int64_t> asked) {
  if (!base || !other || !asked || *base == *other) return {};
  return {*base, *other, *asked};
}

SizeRule::SizeRule(const Known& known, const StepSize& asked)
    : batch_(along(known.base.batch, known.batch, asked.batch)),
      context_(along(known.base.context, known.context, asked.context)) {}

/// A number along one of both sizes. nullopt: out of range.
std::optional<SizeRule::Fraction> SizeRule::along(std::int64_t base, std::int64_t other,
                                                  const Along& size) {
  if (!size.changes() || other == base) return Fraction{base, 1};
  const auto square = [](std::int64_t number) { return static_cast<Wide>(number) * number; };
  Wide as_other = 0;
  Wide as_base = 0;
  const bool compared =
      !__builtin_mul_overflow(static_cast<Wide>(other), square(size.base), &as_other) &&
      !__builtin_mul_overflow(static_cast<Wide>(base), square(size.other), &as_base);
  if (compared && base != 0 && as_other == as_base) {
    return product({square(size.asked), square(size.base)}, {base, 1});
  }
  const Wide run = static_cast<Wide>(size.other) - size.base;
  Wide rise = 0;
  Wide begin = 0;
  Wide above = 0;
  if (__builtin_mul_overflow(static_cast<Wide>(other) - base,
                             static_cast<Wide>(size.asked) - size.base, &rise) ||
      __builtin_mul_overflow(static_cast<Wide>(base), run, &begin) ||
      __builtin_add_overflow(begin, rise, &above)) {
    return std::nullopt;
  }
  return Fraction{above, run};
}

std::optional<std::int64_t> SizeRule::at(const Corner& corner) const {
  if (corner.is_constant()) return corner.base;
  constexpr Wide most = std::int64_t{1} << 60;
  const std::optional<Fraction> by_batch = along(corner.base, corner.by_batch, batch_);
  const std::optional<Fraction> by_context = along(corner.base, corner.by_context, context_);
  if (!by_batch || !by_context) return static_cast<std::int64_t>(most);
  const auto is_base = [&corner](const Fraction& of) {
    return of.below == 1 && of.above == corner.base;
  };
  std::optional<Fraction> value;
  if (is_base(*by_context)) {
    value = by_batch;
  } else if (is_base(*by_batch)) {
    value = by_context;
  } else if (corner.base == 0) {
    return std::nullopt;
  } else {
    value = product(*by_batch, *by_context);
    if (value) value = product(*value, {1, corner.base});
  }
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
