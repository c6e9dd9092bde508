// What a statement compares, in numbers: its left side with what it comes to, and in brackets what
// it would have to be. Where both sides have figures of one unit, their quotient is shown, with the
// constants of both sides in the bound: of `time(a) <= 3 * time(b)` that is
//
//     13.45 ms / 4.35 ms = 3.092 (allowed at most 3; interval 2.9 to 3.3)
//
// so that a reader sees by how much it holds or fails. The interval is that of the number before
// it, by statement_value.cpp; figures without intervals have none. Without such a quotient
// (other units, a sum below zero), the two sides are written one after the other. Brackets stand
// only where the order of operations needs them.

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "statement.hpp"

namespace rooflab::study {
namespace {

using Figures = std::span<const Figure* const>;

/// A side of a comparison without its constant factors: `factor` times `rest`.
struct Side {
  double factor = 1.0;
  Node rest;
};

bool has_figure(const Node& node) {
  return node.kind == Node::Kind::figure || std::ranges::any_of(node.operands, has_figure);
}

/// nullopt: what is left would have nothing above the line.
std::optional<Side> side_of(const Node& node, Figures figures) {
  if (node.kind != Node::Kind::product) return Side{1.0, node};
  Side side{1.0, {.kind = Node::Kind::product, .offset = node.offset}};
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const std::string_view sign = i == 0 ? "*" : node.operators[i - 1];
    if (!has_figure(node.operands[i])) {
      const double value = value_of(node.operands[i], figures);
      side.factor = sign == "/" ? side.factor / value : side.factor * value;
      continue;
    }
    if (side.rest.operands.empty() && sign == "/") return std::nullopt;
    if (!side.rest.operands.empty()) side.rest.operators.push_back(sign);
    side.rest.operands.push_back(node.operands[i]);
  }
  if (side.rest.operands.size() == 1) {
    Node only = side.rest.operands.front();
    side.rest = std::move(only);
  }
  return side;
}

std::string_view words_of(std::string_view relation) {
  if (relation == "<") return "under";
  if (relation == "<=") return "at most";
  if (relation == ">") return "over";
  if (relation == ">=") return "at least";
  return relation == "==" ? "exactly" : "about";
}

/// The relation of the sides in the other order.
std::string_view turned(std::string_view relation) {
  if (relation == "<") return ">";
  if (relation == "<=") return ">=";
  if (relation == ">") return "<";
  return relation == ">=" ? "<=" : relation;
}

/// What holds where an order does not.
std::optional<std::string_view> opposite_of(std::string_view relation) {
  if (relation == "<") return ">=";
  if (relation == "<=") return ">";
  if (relation == ">") return "<=";
  return relation == ">=" ? std::optional<std::string_view>("<") : std::nullopt;
}

class StatementWriter {
 public:
  StatementWriter(const Statement& statement, Figures figures)
      : statement_(statement), figures_(figures) {}

  [[nodiscard]] std::string truth(const Node& node) const {
    switch (node.kind) {
      case Node::Kind::comparison:
        return chain(node);
      case Node::Kind::negation:
        return negation(node.operands.front());
      default:
        break;
    }
    std::string result;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      if (i > 0) result += format(" {} ", node.operators[i - 1]);
      result += part(node.operands[i], static_cast<Node::Kind>(static_cast<int>(node.kind) - 1));
    }
    return result;
  }

 private:
  /// Two sides that are ordered get the opposite order.
  [[nodiscard]] std::string negation(const Node& node) const {
    if (node.kind == Node::Kind::comparison && node.operators.size() == 1 &&
        opposite_of(node.operators.front())) {
      return pair(node.operands[0], *opposite_of(node.operators.front()), node.operands[1]);
    }
    return "not (" + truth(node) + ")";
  }

  /// A truth in brackets unless it holds together as much as that kind.
  [[nodiscard]] std::string part(const Node& node, Node::Kind least) const {
    return node.kind > least ? "(" + truth(node) + ")" : truth(node);
  }

  /// `1.58 <= a / b <= 2.94` has one number and two bounds; other chains are of their pairs.
  [[nodiscard]] std::string chain(const Node& node) const {
    const auto& sides = node.operands;
    const auto& signs = node.operators;
    if (sides.size() == 3 && !has_figure(sides[0]) && has_figure(sides[1]) &&
        !has_figure(sides[2]) && signs[0].front() == signs[1].front() && signs[0] != "~" &&
        signs[0] != "==") {
      const bool rises = signs[0].front() == '<';
      return allowed(sides[1],
                     format("{} to {}", bound(sides[rises ? 0 : 2]), bound(sides[rises ? 2 : 0])));
    }
    std::vector<std::string> pairs;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      pairs.push_back(pair(sides[i], signs[i], sides[i + 1]));
    }
    return join(pairs, " and ");
  }

  [[nodiscard]] std::string pair(const Node& a, std::string_view relation, const Node& b) const {
    if (!has_figure(a) && !has_figure(b)) return format("{} {} {}", text(a), relation, text(b));
    if (!has_figure(b)) return allowed(a, bound(relation, b, unit_of(a)));
    if (!has_figure(a)) return allowed(b, bound(turned(relation), a, unit_of(b)));
    if (const auto quotient = quotient_of(a, b)) {
      const double limit = quotient->factor;
      return allowed(quotient->rest, relation == "~"
                                         ? format("{:.4g} to {:.4g}", limit * (1.0 - near_within),
                                                  limit / (1.0 - near_within))
                                         : format("{} {:.4g}", words_of(relation), limit));
    }
    return allowed(
        a, format("{} {}", relation == "~" ? "within 5 % of" : words_of(relation), number(b)));
  }

  /// a over b without the constants, and what it is compared with; nullopt: not of one unit, or not
  /// above zero.
  [[nodiscard]] std::optional<Side> quotient_of(const Node& a, const Node& b) const {
    const auto above = side_of(a, figures_);
    const auto below = side_of(b, figures_);
    if (!above || !below) return std::nullopt;
    const auto unit = unit_of(above->rest);
    if (!unit || unit != unit_of(below->rest)) return std::nullopt;
    const auto is_positive = [](double value) { return std::isfinite(value) && value > 0.0; };
    if (!is_positive(value_of(above->rest, figures_)) ||
        !is_positive(value_of(below->rest, figures_)) || !is_positive(above->factor) ||
        !is_positive(below->factor)) {
      return std::nullopt;
    }
    return Side{below->factor / above->factor,
                {.kind = Node::Kind::product,
                 .offset = a.offset,
                 .operands = {above->rest, below->rest},
                 .operators = {"/"}}};
  }

  /// `A / B = 3.092 (allowed at most 3; interval 2.9 to 3.3)`.
  [[nodiscard]] std::string allowed(const Node& node, const std::string& what) const {
    const Interval interval = interval_of(node, figures_);
    std::string more;
    if (interval.low < interval.high && std::isfinite(interval.low) &&
        std::isfinite(interval.high)) {
      more = format("; interval {} to {}", value_text(node, interval.low),
                    value_text(node, interval.high));
    }
    return format("{} (allowed {}{})", number(node), what, more);
  }

  /// With what it comes to, where it is more than a figure.
  [[nodiscard]] std::string number(const Node& node) const {
    const Node& inner = node.kind == Node::Kind::minus ? node.operands.front() : node;
    if (inner.kind == Node::Kind::figure || inner.kind == Node::Kind::number) return text(node);
    return format("{} = {}", text(node), value_text(node, value_of(node, figures_)));
  }

  [[nodiscard]] std::string bound(const Node& node) const {
    const Node& inner = node.kind == Node::Kind::minus ? node.operands.front() : node;
    if (inner.kind == Node::Kind::number) return text(node);
    return format("{:.4g}", value_of(node, figures_));
  }

  [[nodiscard]] std::string bound(std::string_view relation, const Node& node,
                                  std::optional<std::string_view> unit) const {
    if (relation != "~") return format("{} {}", words_of(relation), bound(node));
    const double value = value_of(node, figures_);
    const auto end = [&](double factor) { return in_unit(value * factor, unit); };
    return value > 0.0 ? format("{} to {}", end(1.0 - near_within), end(1.0 / (1.0 - near_within)))
                       : format("within 5 % of {}", bound(node));
  }

  static std::string in_unit(double value, std::optional<std::string_view> unit) {
    return unit && !unit->empty() ? si(value, *unit) : format("{:.4g}", value);
  }

  [[nodiscard]] std::string value_text(const Node& node, double value) const {
    if (node.kind == Node::Kind::figure) {
      return text_of(*statement_.figures[node.figure].quantity, value);
    }
    return in_unit(value, unit_of(node));
  }

  [[nodiscard]] std::string text(const Node& node) const {
    switch (node.kind) {
      case Node::Kind::number:
        return node.written;
      case Node::Kind::figure:
        return text_of(*statement_.figures[node.figure].quantity, figures_[node.figure]->value);
      case Node::Kind::minus:
        return "-" + text(node.operands.front(), Node::Kind::figure);
      default:
        break;
    }
    const auto operand = [&](std::size_t i) {
      return text(node.operands[i], static_cast<Node::Kind>(static_cast<int>(node.kind) - 1));
    };
    std::string result = operand(0);
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      result += format(" {} {}", node.operators[i - 1], operand(i));
    }
    return result;
  }

  /// In brackets unless it holds together as much as that kind.
  [[nodiscard]] std::string text(const Node& node, Node::Kind least) const {
    return node.kind > least ? "(" + text(node) + ")" : text(node);
  }

  /// nullopt: one that no quantity has.
  [[nodiscard]] std::optional<std::string_view> unit_of(const Node& node) const {
    if (node.kind == Node::Kind::number) return node.unit == "%" ? "" : node.unit;
    if (node.kind == Node::Kind::figure) return statement_.figures[node.figure].quantity->unit();
    std::optional<std::string_view> unit = unit_of(node.operands.front());
    for (std::size_t i = 1; unit && i < node.operands.size(); ++i) {
      const std::optional<std::string_view> other = unit_of(node.operands[i]);
      const std::string_view sign = node.operators[i - 1];
      if (!other) return std::nullopt;
      if (sign == "/" && other == unit) {
        unit = "";
      } else if (sign == "*" && unit->empty()) {
        unit = other;
      } else if (!(other->empty() || (other == unit && sign != "*"))) {
        return std::nullopt;
      }
    }
    return unit;
  }

  const Statement& statement_;
  Figures figures_;
};

}  // namespace

std::string CaseWord::text() const {
  const bool is_bare = value.find_first_of(value_ends) == std::string::npos;
  const char quote = value.find('\'') == std::string::npos ? '\'' : '"';
  const std::string shown = is_bare ? value : quote + value + quote;
  return key.empty() ? shown : format("{}={}", key, shown);
}

std::string FigureName::text() const {
  std::string text(quantity->name);
  if (words.empty()) return text;
  std::vector<std::string> parts;
  for (const CaseWord& word : words) parts.push_back(word.text());
  return format("{}({})", text, join(parts, ", "));
}

std::string FigureName::identity() const {
  std::vector<std::string> parts;
  for (const CaseWord& word : words) parts.push_back(word.key + '=' + lowercase(word.value));
  std::ranges::sort(parts);
  return format("{}({})", quantity->name, join(parts, "\n"));
}

std::string numbers_of(const Statement& statement, Figures figures) {
  return StatementWriter(statement, figures).truth(statement.root);
}

}  // namespace rooflab::study
