#include "shown_value.hpp"

#include <cmath>
#include <vector>

#include "figures.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/describe/figure.hpp"
#include "statement.hpp"
#include "study_quantity.hpp"
#include "unit_product.hpp"

namespace rooflab::study {
namespace {

constexpr std::string_view ratio_unit = "x";

bool has_figure_in(const Node& node) {
  if (node.kind == Node::Kind::figure) return true;
  for (const Node& operand : node.operands) {
    if (has_figure_in(operand)) return true;
  }
  return false;
}

/// The unit of a part; a bare number takes that of what it is added to.
UnitProduct unit_of(const Node& node, const Statement& statement) {
  if (node.kind == Node::Kind::figure) {
    const std::string_view unit = statement.figures[node.figure].quantity->unit();
    return unit == ratio_unit ? UnitProduct() : UnitProduct(unit);
  }
  UnitProduct unit(node.unit == "%" ? std::string_view() : node.unit);
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    UnitProduct own = unit_of(node.operands[i], statement);
    const bool divides = i > 0 && node.operators[i - 1] == "/";
    if (node.kind != Node::Kind::product) {
      if (has_figure_in(node.operands[i])) return own;
    } else if (divides) {
      unit /= own;
    } else {
      unit *= own;
    }
  }
  return unit;
}

}  // namespace

ShownValue ShownValue::parse(std::string_view text, const Location& place, std::string title) {
  ShownValue shown;
  auto statement = std::make_shared<Statement>(read_number(text, place));
  shown.key_ = text;
  shown.unit_ = unit_of(statement->root, *statement).symbol();
  shown.statement_ = std::move(statement);
  const Quantity* const quantity = shown.quantity();
  if (quantity != nullptr) shown.unit_ = quantity->unit();
  if (quantity == nullptr && shown.unit_.empty()) shown.unit_ = ratio_unit;
  shown.title_ = std::move(title);
  const bool is_plain = quantity != nullptr && shown.statement_->figures.front().words.empty();
  if (shown.title_.empty()) shown.title_ = is_plain ? quantity->title : shown.key_;
  return shown;
}

ShownValue ShownValue::of_quantity(const Quantity& quantity) {
  return parse(quantity.name, Location());
}

std::optional<Figure> ShownValue::of(const StudyCase& row, std::span<const StudyCase> cases) const {
  std::vector<const Figure*> figures;
  for (const FigureName& name : statement_->figures) {
    figures.push_back(figure_beside(row, name, cases));
    if (figures.back() == nullptr) return std::nullopt;
  }
  const Interval interval = interval_of(statement_->root, figures);
  if (!std::isfinite(interval.value)) return std::nullopt;
  Figure figure{.quantity = key_, .value = interval.value, .low = {}, .high = {}};
  const bool is_exact = interval.low == interval.high;
  if (!is_exact && std::isfinite(interval.low) && std::isfinite(interval.high)) {
    figure.low = interval.low;
    figure.high = interval.high;
  }
  return figure;
}

std::string ShownValue::text(double value) const {
  if (const Quantity* const own = quantity()) return text_of(*own, value);
  if (unit_ == ratio_unit) return text_in(Unit::none, value, NumberStyle::factor);
  return si(value, unit_);
}

std::set<std::string> ShownValue::quantities() const {
  std::set<std::string> names;
  for (const FigureName& name : statement_->figures) names.emplace(name.quantity->name);
  return names;
}

const Quantity* ShownValue::quantity() const {
  const bool is_bare = statement_->root.kind == Node::Kind::figure;
  return is_bare ? statement_->figures.front().quantity : nullptr;
}

}  // namespace rooflab::study
