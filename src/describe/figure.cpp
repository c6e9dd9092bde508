#include "rooflab/describe/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.hpp"
#include "rooflab/describe/figure_table.hpp"

namespace rooflab {
namespace {

struct UnitRow {
  Unit unit;
  std::string_view suffix;
  std::string_view symbol;
};

/// A longer suffix comes before one that it ends in.
constexpr std::array units = std::to_array<UnitRow>({
    {Unit::byte_per_second, "bytes_per_s", "B/s"},
    {Unit::flop_per_second, "flop_per_s", "FLOP/s"},
    {Unit::sample_per_second, "samples_per_s", "samples/s"},
    {Unit::flop_per_byte, "flop_per_byte", "FLOP/B"},
    {Unit::nanosecond, "ns", "ns"},
    {Unit::second, "s", "s"},
    {Unit::byte, "bytes", "B"},
    {Unit::flop, "flop", "FLOP"},
    {Unit::watt, "w", "W"},
    {Unit::joule, "j", "J"},
    {Unit::hertz, "hz", "Hz"},
    {Unit::celsius, "c", "°C"},
    {Unit::share, "share", ""},
});

std::string percent(NumberStyle style, double share) {
  const double value = share * 100.0;
  if (style == NumberStyle::fine) return format("{:.2f} %", value);
  if (style == NumberStyle::change) return format("{:+.1f} %", value);
  return std::abs(value) >= 10.0 ? format("{:.1f} %", value) : format("{:.3g} %", value);
}

std::string number_text(NumberStyle style, double value) {
  switch (style) {
    case NumberStyle::count:
    case NumberStyle::fine:
    case NumberStyle::change:
      break;
    case NumberStyle::scaled:
      return si(value, "");
    case NumberStyle::factor:
      return format("{:.2f}x", value);
    case NumberStyle::plain:
      return format("{}", value);
  }
  constexpr double largest = 9e18;  // that an integer holds
  return value == std::round(value) && std::abs(value) < largest
             ? with_thousands(static_cast<std::int64_t>(value))
             : plain_number(value);
}

}  // namespace

Unit unit_of_key(std::string_view key) {
  for (const UnitRow& row : units) {
    if (key == row.suffix) return row.unit;
    if (key.ends_with(row.suffix) && key[key.size() - row.suffix.size() - 1] == '_') {
      return row.unit;
    }
  }
  return Unit::none;
}

Unit Figure::unit() const { return unit_of_key(key); }

std::string_view suffix_of(Unit unit) {
  const auto* const row = std::ranges::find(units, unit, &UnitRow::unit);
  return row == units.end() ? std::string_view() : row->suffix;
}

std::string_view symbol_of(Unit unit) {
  const auto* const row = std::ranges::find(units, unit, &UnitRow::unit);
  return row == units.end() ? std::string_view() : row->symbol;
}

const Figure* find_figure(std::string_view key) {
  const auto* const found = std::ranges::find(figure_table, key, &Figure::key);
  return found == figure_table.end() ? nullptr : found;
}

std::string text_of(const Figure& figure, double value) {
  return text_in(figure.unit(), value, figure.style);
}

std::string text_in(Unit unit, double value, NumberStyle style) {
  if (!std::isfinite(value)) return format("{}", value);
  switch (unit) {
    case Unit::none:
      return number_text(style, value);
    case Unit::share:
      return percent(style, value);
    case Unit::flop_per_byte:  // a ratio is read as a number: 0.25 FLOP/B, not 250 mFLOP/B
    case Unit::sample_per_second:
      return format("{} {}", plain_number(value), symbol_of(unit));
    case Unit::celsius:
      return format("{:g} {}", value, symbol_of(unit));
    case Unit::nanosecond:
      return si(value * 1e-9, "s");
    default:
      return si(value, symbol_of(unit));
  }
}

}  // namespace rooflab
