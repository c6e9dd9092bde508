#include "sourced_figure.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::device {

std::pair<double, std::string> read_sourced_figure(const TomlTable& table,
                                                   std::span<const Unit> units) {
  table.allow_only({"value", "unit", "source"});
  const double value = table.number("value");
  const auto unit = std::ranges::find(units, table.string("unit"), &Unit::symbol);
  if (unit == units.end() || value <= 0.0 || table.string("source").empty()) {
    throw table.error(format("'{}' is not a figure above zero with unit and source", table.path()));
  }
  return {value * unit->times / unit->over, table.string("source")};
}

}  // namespace rooflab::device
