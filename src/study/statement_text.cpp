// A statement with figures in their places, as a reader would write it: brackets only where the
// order of operations needs them, and behind a quotient of two like figures what it comes to, since
// their prefixes may differ.

#include "rooflab/base/format.hpp"
#include "statement.hpp"

namespace rooflab::study {
namespace {

using Figures = std::span<const Figure* const>;

/// How strongly a kind of node holds its operands together.
int strength(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::disjunction:
      return 1;
    case Node::Kind::conjunction:
      return 2;
    case Node::Kind::negation:
      return 3;
    case Node::Kind::comparison:
      return 4;
    case Node::Kind::sum:
      return 5;
    case Node::Kind::product:
      return 6;
    case Node::Kind::minus:
      return 7;
    case Node::Kind::number:
    case Node::Kind::figure:
      return 8;
  }
  return 8;
}

class StatementWriter {
 public:
  StatementWriter(const Statement& statement, Figures figures)
      : statement_(statement), figures_(figures) {}

  [[nodiscard]] std::string text(const Node& node) const {
    switch (node.kind) {
      case Node::Kind::number:
        return node.written;
      case Node::Kind::figure:
        return text_of(*statement_.figures[node.figure].quantity, figures_[node.figure]->value);
      case Node::Kind::minus:
        return "-" + within(node.operands.front(), 8);
      case Node::Kind::negation:
        return "not " + within(node.operands.front(), 3);
      default:
        break;
    }
    std::string result = operand(node, 0);
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      result += format(" {} {}", sign(node, i - 1), operand(node, i));
    }
    return result;
  }

 private:
  [[nodiscard]] std::string within(const Node& node, int least) const {
    const std::string inner = text(node);
    return strength(node.kind) < least ? "(" + inner + ")" : inner;
  }

  [[nodiscard]] std::string operand(const Node& node, std::size_t i) const {
    const Node& child = node.operands[i];
    std::string result = within(child, strength(node.kind) + 1);
    if (node.kind == Node::Kind::comparison && child.kind == Node::Kind::product &&
        child.signs.back() == '/' && unit_of(child) == "") {
      result += format(" = {:.4g}", value_of(child, figures_));
    }
    return result;
  }

  static std::string sign(const Node& node, std::size_t i) {
    switch (node.kind) {
      case Node::Kind::comparison:
        return std::string(name_of(node.relations[i]));
      case Node::Kind::conjunction:
        return "and";
      case Node::Kind::disjunction:
        return "or";
      default:
        return std::string(1, node.signs[i]);
    }
  }

  /// nullopt: one that no quantity has.
  [[nodiscard]] std::optional<std::string_view> unit_of(const Node& node) const {
    if (node.kind == Node::Kind::number) return "";
    if (node.kind == Node::Kind::figure) return statement_.figures[node.figure].quantity->unit;
    std::optional<std::string_view> unit = unit_of(node.operands.front());
    for (std::size_t i = 1; unit && i < node.operands.size(); ++i) {
      const std::optional<std::string_view> other = unit_of(node.operands[i]);
      const char sign = node.signs[i - 1];
      if (!other) return std::nullopt;
      if (sign == '/' && other == unit) {
        unit = "";
      } else if (sign == '*' && unit->empty()) {
        unit = other;
      } else if (!(other->empty() || (other == unit && sign != '*'))) {
        return std::nullopt;
      }
    }
    return unit;
  }

  const Statement& statement_;
  Figures figures_;
};

}  // namespace

std::string numbers_of(const Statement& statement, Figures figures) {
  return StatementWriter(statement, figures).text(statement.root);
}

}  // namespace rooflab::study
