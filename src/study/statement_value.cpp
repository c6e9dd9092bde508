// What a statement says of given figures, and how sure that is.
//
// Values decide whether it holds. Interval arithmetic runs with them: a comparison
// is close when some values within the intervals of its two sides would give one result and some
// the other. `not`, `and` and `or` hand that on by what each operand can be, so that a close
// comparison does not matter where another one already decides.
//
// == is |a - b| <= 1e-9 max(|a|, |b|), since figures come out of sums in one order or another; <
// and > exclude it and <= and >= include it, so that of a < b, a == b and a > b exactly one holds.
// ~ is |a - b| <= 0.05 max(|a|, |b|).
//
// Interval arithmetic: an operation's result lies between the least and the largest result at the
// ends of its operands, since + - * / are monotone in each operand (of a quotient only while the
// divisor keeps its sign). Rounding of the last bit is neglected: the ends are statistics.
//
// When it is wrong: operands are taken as independent. A figure that appears twice in a text gets
// a wider interval than it has, x - x is not 0; never a narrower one.
//
// Source: Moore, Kearfott, Cloud, "Introduction to Interval Analysis", SIAM 2009, chapter 2.

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include "statement.hpp"

namespace rooflab::study {
namespace {

constexpr double equal_within = 1e-9;

using Figures = std::span<const Figure* const>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// 0 times infinity and the like: nothing is known.
Interval hull(double value, std::initializer_list<double> ends) {
  const bool known =
      std::none_of(ends.begin(), ends.end(), [](double end) { return std::isnan(end); });
  if (!known) return {value, -infinity, infinity};
  const auto [low, high] = std::minmax(ends);
  return {value, low, high};
}

Interval operator-(const Interval& a) { return {-a.value, -a.high, -a.low}; }

Interval operator+(const Interval& a, const Interval& b) {
  return hull(a.value + b.value, {a.low + b.low, a.high + b.high});
}

Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

Interval operator*(const Interval& a, const Interval& b) {
  return hull(a.value * b.value, {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

/// Without ends where the divisor may be 0. The value follows IEEE 754: x / 0 is not finite.
Interval operator/(const Interval& a, const Interval& b) {
  const double value = a.value / b.value;
  if (b.low <= 0.0 && b.high >= 0.0) return {value, -infinity, infinity};
  return hull(value, {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
}

/// What a part of a statement is by the values, and what it could be by the intervals.
struct Outcome {
  bool holds = false;
  bool can_hold = false;
  bool can_fail = false;
};

bool lie_within(double a, double b, double share) {
  return std::abs(a - b) <= share * std::max(std::abs(a), std::abs(b));
}

Interval interval_of(const Figure& figure) {
  return {figure.value, std::min(figure.low.value_or(figure.value), figure.value),
          std::max(figure.high.value_or(figure.value), figure.value)};
}

bool compare(double a, std::string_view relation, double b) {
  if (relation == "~") return lie_within(a, b, near_within);
  const bool equal = lie_within(a, b, equal_within);
  if (equal || relation == "==") return equal && relation.ends_with('=');
  return relation.starts_with('<') ? a < b : a > b;
}

/// Values from a to b, none below 0, that are near values from c to d.
bool have_near(double a, double b, double c, double d) {
  if (b < 0.0 || d < 0.0) return false;
  constexpr double share = 1.0 - near_within;
  return std::max(a, 0.0) * share <= d && std::max(c, 0.0) * share <= b;
}

Outcome compare(const Interval& a, std::string_view relation, const Interval& b) {
  const bool holds = compare(a.value, relation, b.value);
  bool can_hold = holds;
  bool can_fail = !holds;
  const bool exact = a.low == a.high && b.low == b.high;
  if (!exact && relation == "~") {
    can_hold = can_hold || have_near(a.low, a.high, b.low, b.high) ||
               have_near(-a.high, -a.low, -b.high, -b.low);
    // What is near lies in two convex wedges, so a box lies in it when its corners do.
    for (const double one : {a.low, a.high}) {
      for (const double other : {b.low, b.high}) {
        can_fail = can_fail || !compare(one, relation, other);
      }
    }
  } else if (!exact && a.low <= b.high && b.low <= a.high) {
    can_hold = true;
    can_fail = true;
  }
  return {holds, can_hold, can_fail};
}

Outcome both(const Outcome& a, const Outcome& b) {
  return {a.holds && b.holds, a.can_hold && b.can_hold, a.can_fail || b.can_fail};
}

Outcome opposite(const Outcome& a) { return {!a.holds, a.can_fail, a.can_hold}; }

std::optional<Outcome> chain_of(const Node& node, Figures figures) {
  Outcome result{true, true, false};
  Interval left = interval_of(node.operands.front(), figures);
  bool finite = std::isfinite(left.value);
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    const Interval right = interval_of(node.operands[i], figures);
    finite = finite && std::isfinite(right.value);
    result = both(result, compare(left, node.operators[i - 1], right));
    left = right;
  }
  return finite ? std::optional(result) : std::nullopt;
}

std::optional<Outcome> outcome_of(const Node& node, Figures figures) {
  if (node.kind == Node::Kind::comparison) return chain_of(node, figures);
  std::optional<Outcome> result = outcome_of(node.operands.front(), figures);
  if (!result) return std::nullopt;
  if (node.kind == Node::Kind::negation) return opposite(*result);
  const bool is_disjunction = node.kind == Node::Kind::disjunction;
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    const std::optional<Outcome> operand = outcome_of(node.operands[i], figures);
    if (!operand) return std::nullopt;
    result = is_disjunction ? opposite(both(opposite(*result), opposite(*operand)))
                            : both(*result, *operand);
  }
  return result;
}

// Figures are in base units; these are the ways to write a large or a small one.
constexpr std::array number_units = std::to_array<NumberUnit>({
    {"%", 0.01, "%"},
    {"k", 1e3, ""},
    {"M", 1e6, ""},
    {"G", 1e9, ""},
    {"T", 1e12, ""},
    {"P", 1e15, ""},
    {"s", 1.0, "s"},
    {"ms", 1e-3, "s"},
    {"us", 1e-6, "s"},
    {"ns", 1e-9, "s"},
    {"B", 1.0, "B"},
    {"kB", 1e3, "B"},
    {"MB", 1e6, "B"},
    {"GB", 1e9, "B"},
    {"TB", 1e12, "B"},
    {"PB", 1e15, "B"},
    {"KiB", 0x1p10, "B"},
    {"MiB", 0x1p20, "B"},
    {"GiB", 0x1p30, "B"},
    {"TiB", 0x1p40, "B"},
    {"FLOP", 1.0, "FLOP"},
    {"kFLOP", 1e3, "FLOP"},
    {"MFLOP", 1e6, "FLOP"},
    {"GFLOP", 1e9, "FLOP"},
    {"TFLOP", 1e12, "FLOP"},
    {"PFLOP", 1e15, "FLOP"},
    {"B/s", 1.0, "B/s"},
    {"kB/s", 1e3, "B/s"},
    {"MB/s", 1e6, "B/s"},
    {"GB/s", 1e9, "B/s"},
    {"TB/s", 1e12, "B/s"},
    {"PB/s", 1e15, "B/s"},
    {"FLOP/s", 1.0, "FLOP/s"},
    {"kFLOP/s", 1e3, "FLOP/s"},
    {"MFLOP/s", 1e6, "FLOP/s"},
    {"GFLOP/s", 1e9, "FLOP/s"},
    {"TFLOP/s", 1e12, "FLOP/s"},
    {"PFLOP/s", 1e15, "FLOP/s"},
    {"W", 1.0, "W"},
    {"mW", 1e-3, "W"},
    {"kW", 1e3, "W"},
    {"J", 1.0, "J"},
    {"mJ", 1e-3, "J"},
    {"kJ", 1e3, "J"},
});

}  // namespace

Interval interval_of(const Node& node, Figures figures) {
  switch (node.kind) {
    case Node::Kind::number:
      return Interval::exact(node.number);
    case Node::Kind::figure:
      return interval_of(*figures[node.figure]);
    case Node::Kind::minus:
      return -interval_of(node.operands.front(), figures);
    default:
      break;
  }
  Interval result = interval_of(node.operands.front(), figures);
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    const Interval operand = interval_of(node.operands[i], figures);
    const char sign = node.operators[i - 1].front();
    result = sign == '+'   ? result + operand
             : sign == '-' ? result - operand
             : sign == '*' ? result * operand
                           : result / operand;
    // Dividing by what is infinite must not bring it back as 0.
    if (!std::isfinite(result.value)) result.value = std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

std::optional<Truth> truth_of(const Statement& statement, Figures figures) {
  const std::optional<Outcome> outcome = outcome_of(statement.root, figures);
  if (!outcome) return std::nullopt;
  return Truth{outcome->holds, outcome->can_hold && outcome->can_fail};
}

double value_of(const Node& node, Figures figures) { return interval_of(node, figures).value; }

const NumberUnit* find_number_unit(std::string_view name) {
  const auto* const found = std::ranges::find(number_units, name, &NumberUnit::name);
  return found == number_units.end() ? nullptr : found;
}

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  for (const NumberUnit& each : number_units) names.emplace_back(each.name);
  return names;
}

}  // namespace rooflab::study
