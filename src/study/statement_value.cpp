// What a statement says of given figures, and how sure that is.
//
// Values decide whether it holds. Beside them runs interval arithmetic (interval.cpp): a comparison
// is close when some values within the intervals of its two sides would give one result and some
// the other. `not`, `and` and `or` hand that on by what each operand can be, so that a close
// comparison beside one that already decides does not matter.
//
// == is |a - b| <= 1e-9 max(|a|, |b|), since figures come out of sums in one order or another; <
// and > exclude it and <= and >= include it, so that of a < b, a == b and a > b exactly one holds.
// ~ is |a - b| <= 0.05 max(|a|, |b|).

#include <algorithm>
#include <cmath>
#include <limits>

#include "interval.hpp"
#include "statement.hpp"

namespace rooflab::study {
namespace {

constexpr double equal_within = 1e-9;
constexpr double near_within = 0.05;

using Figures = std::span<const Figure* const>;

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
    switch (node.signs[i - 1]) {
      case '+':
        result = result + operand;
        break;
      case '-':
        result = result - operand;
        break;
      case '*':
        result = result * operand;
        break;
      default:
        result = result / operand;
        break;
    }
    // Dividing by what is infinite must not bring it back as 0.
    if (!std::isfinite(result.value)) result.value = std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

bool compare(double a, Relation relation, double b) {
  const bool equal = lie_within(a, b, equal_within);
  switch (relation) {
    case Relation::less:
      return a < b && !equal;
    case Relation::at_most:
      return a < b || equal;
    case Relation::greater:
      return a > b && !equal;
    case Relation::at_least:
      return a > b || equal;
    case Relation::equal:
      return equal;
    case Relation::near:
      return lie_within(a, b, near_within);
  }
  return false;
}

/// Values from a to b, none below 0, that are near values from c to d.
bool have_near(double a, double b, double c, double d) {
  if (b < 0.0 || d < 0.0) return false;
  constexpr double share = 1.0 - near_within;
  return std::max(a, 0.0) * share <= d && std::max(c, 0.0) * share <= b;
}

Outcome compare(const Interval& a, Relation relation, const Interval& b) {
  const bool holds = compare(a.value, relation, b.value);
  bool can_hold = holds;
  bool can_fail = !holds;
  const bool exact = a.low == a.high && b.low == b.high;
  if (!exact && relation == Relation::near) {
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
    result = both(result, compare(left, node.relations[i - 1], right));
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

}  // namespace

std::optional<Truth> truth_of(const Statement& statement, Figures figures) {
  const std::optional<Outcome> outcome = outcome_of(statement.root, figures);
  if (!outcome) return std::nullopt;
  return Truth{outcome->holds, outcome->can_hold && outcome->can_fail};
}

double value_of(const Node& node, Figures figures) { return interval_of(node, figures).value; }

}  // namespace rooflab::study
