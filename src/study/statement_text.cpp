// A statement with figures in their places, as a reader would write it: brackets only where the
// order of operations needs them, and behind a quotient of two like figures what it comes to, since
// their prefixes may differ.

#include <algorithm>

#include "rooflab/base/text.hpp"
#include "statement.hpp"

namespace rooflab::study {
namespace {

using Figures = std::span<const Figure* const>;

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
        return "-" + text(node.operands.front(), Node::Kind::figure);
      case Node::Kind::negation:
        return "not " + text(node.operands.front(), Node::Kind::negation);
      default:
        break;
    }
    std::string result = operand(node, 0);
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      result += format(" {} {}", node.operators[i - 1], operand(node, i));
    }
    return result;
  }

 private:
  /// In brackets unless it holds together as much as that kind.
  [[nodiscard]] std::string text(const Node& node, Node::Kind least) const {
    return node.kind > least ? "(" + text(node) + ")" : text(node);
  }

  [[nodiscard]] std::string operand(const Node& node, std::size_t i) const {
    const Node& child = node.operands[i];
    std::string result = text(child, static_cast<Node::Kind>(static_cast<int>(node.kind) - 1));
    if (node.kind == Node::Kind::comparison && child.kind == Node::Kind::product &&
        child.operators.back() == "/" && unit_of(child) == "") {
      result += format(" = {:.4g}", value_of(child, figures_));
    }
    return result;
  }

  /// nullopt: one that no quantity has.
  [[nodiscard]] std::optional<std::string_view> unit_of(const Node& node) const {
    if (node.kind == Node::Kind::number) return "";
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
  return StatementWriter(statement, figures).text(statement.root);
}

}  // namespace rooflab::study
