// Units of the parts of a statement. Three things are not told apart, because formulas by pen mix
// them: multiply-accumulates and FLOPs, counts (parameters, devices) and bare numbers, and what a
// bare factor of a count stands for (4 * parameters are bytes).

#include "unit_clash.hpp"

#include <array>
#include <utility>

#include "base/format.hpp"
#include "unit_product.hpp"

namespace rooflab::study {
namespace {

/// What a part is counted in.
struct PartUnit {
  UnitProduct unit = {};
  bool any = false;  ///< a bare number, or a count times one
};

/// Symbols that are others, or none, where units are compared.
constexpr auto same_symbols = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"MAC", "FLOP"}, {"W", "J/s"}, {"%", ""}, {"x", ""}, {"elements", ""}, {"samples/s", "1/s"}});

UnitProduct unit_of_symbol(std::string_view symbol) {
  for (const auto& [other, same] : same_symbols) {
    if (symbol == other) return UnitProduct(same);
  }
  return UnitProduct(symbol);
}

std::string text_of(const UnitProduct& unit) {
  const std::string symbol = unit.symbol();
  return symbol.empty() ? "a number without unit" : symbol;
}

class UnitReader {
 public:
  explicit UnitReader(std::span<const FigureName> figures) : figures_(figures) {}

  PartUnit read(const Node& node) {
    switch (node.kind) {
      case Node::Kind::number:
        return {unit_of_symbol(node.unit), node.unit.empty()};
      case Node::Kind::figure:
        return {unit_of_symbol(figures_[node.figure].quantity->unit()), false};
      case Node::Kind::product:
        return product(node);
      case Node::Kind::minus:
        return read(node.operands.front());
      case Node::Kind::sum:
      case Node::Kind::comparison:
        return alike(node);
      default:
        for (const Node& operand : node.operands) (void)read(operand);
        return {};
    }
  }

  std::optional<UnitClash> clash;

 private:
  PartUnit product(const Node& node) {
    PartUnit result;
    bool has_bare = false;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const PartUnit own = read(node.operands[i]);
      has_bare = has_bare || own.any;
      if (i > 0 && node.operators[i - 1] == "/") {
        result.unit /= own.unit;
      } else {
        result.unit *= own.unit;
      }
    }
    result.any = has_bare && result.unit == UnitProduct();
    return result;
  }

  /// Operands of one unit, bare numbers aside.
  PartUnit alike(const Node& node) {
    const bool compares = node.kind == Node::Kind::comparison;
    PartUnit common{{}, true};
    for (const Node& operand : node.operands) {
      const PartUnit own = read(operand);
      if (own.any) continue;
      if (!common.any && !(own.unit == common.unit) && !clash) {
        const std::string one = text_of(common.unit);
        const std::string other = text_of(own.unit);
        clash = {operand.offset,
                 compares ? format("this compares {} with {}", one, other)
                          : format("this sum is of {} and {}", one, other),
                 "both need one unit; a number without a unit takes that of the other side"};
      }
      if (common.any) common = own;
    }
    return common;
  }

  std::span<const FigureName> figures_;
};

}  // namespace

std::optional<UnitClash> unit_clash(const Node& root, std::span<const FigureName> figures) {
  UnitReader reader(figures);
  (void)reader.read(root);
  return std::move(reader.clash);
}

}  // namespace rooflab::study
