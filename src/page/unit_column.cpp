// The prefix is that of the median figure. Decimals are as many as the smallest figure needs for
// three digits; all rows have the same number.

#include "unit_column.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/si_prefix.hpp"
#include "rooflab/describe/figure.hpp"

namespace rooflab::page {
namespace {

constexpr int least_digits = 3;
constexpr int most_decimals = 3;

bool takes_prefix(Unit unit) {
  constexpr std::array plain = {Unit::none, Unit::share, Unit::celsius, Unit::flop_per_byte,
                                Unit::sample_per_second};
  return std::ranges::find(plain, unit) == plain.end();
}

/// 1,234.50: thousands in the whole part.
std::string with_decimals(double value, int decimals) {
  const std::string text = format("{:.{}f}", std::abs(value), decimals);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::int64_t whole = parse_integer(text.substr(0, point)).value_or(0);
  return format("{}{}{}", value < 0.0 ? "-" : "", with_thousands(whole), text.substr(point));
}

}  // namespace

std::optional<UnitColumn> UnitColumn::of(const Table& table, std::size_t column) {
  const Unit unit = unit_of_key(table.columns[column].key);
  if (!takes_prefix(unit)) return std::nullopt;
  std::vector<double> sizes;
  for (const auto* rows : {&table.rows, &table.totals}) {
    for (const std::vector<Cell>& row : *rows) {
      const Cell& cell = row[column];
      if (cell.raw.empty()) continue;
      const std::optional<double> value = parse_number(cell.raw);
      // A word next to the figure would be lost: `3 ms (slowest)`.
      const bool bare = value && std::ranges::count(cell.text, ' ') <= 1;
      if (!bare || !std::isfinite(*value)) return std::nullopt;
      if (*value != 0.0) sizes.push_back(std::abs(*value));
    }
  }
  return of(std::move(sizes), symbol_of(unit));
}

std::optional<UnitColumn> UnitColumn::of(std::vector<double> sizes, std::string_view unit) {
  if (sizes.empty()) return std::nullopt;
  std::ranges::sort(sizes);
  const SiPrefix& prefix = si_prefix(sizes[sizes.size() / 2]);
  const int digits = static_cast<int>(std::floor(std::log10(sizes.front() / prefix.factor))) + 1;
  if (least_digits - digits > most_decimals) return std::nullopt;
  if (sizes.back() / prefix.factor >= 1e7) return std::nullopt;
  UnitColumn result;
  result.factor_ = prefix.factor;
  result.decimals_ = std::clamp(least_digits - digits, 0, most_decimals);
  result.unit_ = format("{}{}", prefix.symbol, unit);
  return result;
}

std::string UnitColumn::title(const std::string& title) const {
  return title == unit_ ? title : format("{}, {}", title, unit_);
}

std::string UnitColumn::text(const Cell& cell) const {
  const std::optional<double> value = parse_number(cell.raw);
  return value ? text(*value) : cell.text;
}

std::string UnitColumn::text(double value) const {
  return with_decimals(value / factor_, decimals_);
}

}  // namespace rooflab::page
