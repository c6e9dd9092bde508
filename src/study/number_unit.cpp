// Figures are in base units; these are the ways to write a large or a small one. A unit only
// scales: whether it is that of the figure on the other side is not looked at.

#include "number_unit.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace rooflab::study {
namespace {

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr std::array large = {Prefix{"k", 1e3}, Prefix{"M", 1e6}, Prefix{"G", 1e9},
                              Prefix{"T", 1e12}, Prefix{"P", 1e15}};
constexpr std::array binary = {Prefix{"Ki", 0x1p10}, Prefix{"Mi", 0x1p20}, Prefix{"Gi", 0x1p30},
                               Prefix{"Ti", 0x1p40}};
constexpr std::array small = {Prefix{"m", 1e-3}, Prefix{"u", 1e-6}, Prefix{"n", 1e-9}};

using Units = std::vector<std::pair<std::string, double>>;

void add(Units& units, std::string_view unit, std::span<const Prefix> prefixes) {
  for (const Prefix& prefix : prefixes) {
    units.emplace_back(std::string(prefix.name) + std::string(unit), prefix.factor);
  }
}

const Units& all_units() {
  static const Units units = [] {
    Units list = {{"%", 0.01}};
    add(list, "", large);
    list.emplace_back("s", 1.0);
    add(list, "s", small);
    for (const std::string_view unit : {"B", "FLOP", "B/s", "FLOP/s"}) {
      list.emplace_back(unit, 1.0);
      add(list, unit, large);
      if (unit == "B") add(list, unit, binary);
    }
    for (const std::string_view unit : {"W", "J"}) {
      list.emplace_back(unit, 1.0);
      add(list, unit, std::span(small).first(1));
      add(list, unit, std::span(large).first(1));
    }
    return list;
  }();
  return units;
}

}  // namespace

std::optional<double> unit_factor(std::string_view unit) {
  const Units& units = all_units();
  const auto found = std::ranges::find(units, unit, &Units::value_type::first);
  return found == units.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  for (const auto& [name, factor] : all_units()) names.push_back(name);
  return names;
}

}  // namespace rooflab::study
