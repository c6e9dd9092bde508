#include "element_functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rooflab::onnx {

std::optional<double> value_of(graph::UnaryFunction function, double x) {
  using enum graph::UnaryFunction;
  switch (function) {
    case relu:
      return std::fmax(x, 0.0);
    case exp:
      return std::exp(x);
    case log:
      return std::log(x);
    case sqrt:
      return std::sqrt(x);
    case square:
      return x * x;
    case erf:
      return std::erf(x);
    case reciprocal:
      return 1.0 / x;
    case abs:
      return std::fabs(x);
    case neg:
      return -x;
    case sign:
      return static_cast<double>((x > 0.0) - (x < 0.0));
    case floor:
      return std::floor(x);
    case ceil:
      return std::ceil(x);
    case round:
      return std::nearbyint(x);
    case sin:
      return std::sin(x);
    case cos:
      return std::cos(x);
    case tanh:
      return std::tanh(x);
    case sigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case logical_not:
      return x == 0.0 ? 1.0 : 0.0;
    case is_nan:
      return std::isnan(x) ? 1.0 : 0.0;
    case is_inf:
      return std::isinf(x) ? 1.0 : 0.0;
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> value_of(graph::UnaryFunction function, std::int64_t x) {
  using enum graph::UnaryFunction;
  const auto negated = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x));
  switch (function) {
    case abs:
      return x < 0 ? negated : x;
    case neg:
      return negated;
    case sign:
      return (x > 0) - (x < 0);
    case relu:
      return x < 0 ? 0 : x;
    case logical_not:
      return x == 0;
    case bitwise_not:
      return ~x;
    case floor:
    case ceil:
    case round:
      return x;
    default:
      return std::nullopt;
  }
}

std::optional<double> value_of(graph::BinaryFunction function, double a, double b) {
  using enum graph::BinaryFunction;
  switch (function) {
    case add:
      return a + b;
    case sub:
      return a - b;
    case mul:
      return a * b;
    case div:
      return a / b;
    case pow:
      return std::pow(a, b);
    case mod:
      return std::fmod(a, b);
    case minimum:
      return std::fmin(a, b);
    case maximum:
      return std::fmax(a, b);
    case equal:
      return static_cast<double>(a == b);
    case not_equal:
      return static_cast<double>(a != b);
    case less:
      return static_cast<double>(a < b);
    case less_equal:
      return static_cast<double>(a <= b);
    case greater:
      return static_cast<double>(a > b);
    case greater_equal:
      return static_cast<double>(a >= b);
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> value_of(graph::BinaryFunction function, std::int64_t a,
                                     std::int64_t b) {
  using enum graph::BinaryFunction;
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  const bool undefined = b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min());
  switch (function) {
    case add:
      return static_cast<std::int64_t>(ua + ub);
    case sub:
      return static_cast<std::int64_t>(ua - ub);
    case mul:
      return static_cast<std::int64_t>(ua * ub);
    case div:
      return undefined ? std::nullopt : std::optional(a / b);
    case mod: {
      if (undefined) return std::nullopt;
      // The sign follows the divisor, as in Python (ONNX, Mod with fmod = 0).
      const std::int64_t rest = a % b;
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    case pow: {
      const double power = std::pow(static_cast<double>(a), static_cast<double>(b));
      if (!(std::fabs(power) < 9e15)) return std::nullopt;
      return static_cast<std::int64_t>(power);
    }
    case minimum:
      return std::min(a, b);
    case maximum:
      return std::max(a, b);
    case equal:
      return a == b;
    case not_equal:
      return a != b;
    case less:
      return a < b;
    case less_equal:
      return a <= b;
    case greater:
      return a > b;
    case greater_equal:
      return a >= b;
    case logical_and:
      return (a != 0) && (b != 0);
    case logical_or:
      return (a != 0) || (b != 0);
    case logical_xor:
      return (a != 0) != (b != 0);
    case bitwise_and:
      return a & b;
    case bitwise_or:
      return a | b;
    case bitwise_xor:
      return a ^ b;
    default:
      return std::nullopt;
  }
}

}  // namespace rooflab::onnx
