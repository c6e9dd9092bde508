#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The vocabulary of Rooflab: every key of its files, tables and studies is a row of
/// figure_table.hpp, and is spelled only there. docs/formats/README.md has the rules.
namespace rooflab {

/// The unit of a figure, which is the ending of its key: `limit_s`, `dram_bytes`, `flop_per_s`.
enum class Unit : std::uint8_t {
  none,  ///< a text, a switch, a list, an object, or a pure count
  second,
  nanosecond,
  byte,
  flop,
  byte_per_second,
  flop_per_second,
  flop_per_byte,
  sample_per_second,
  watt,
  joule,
  hertz,
  celsius,
  share,  ///< a fraction of one, shown to people in per cent
};

/// The better one of two values of a figure.
enum class Better : std::uint8_t { neither, lower, higher };

/// Format of numbers without a unit and of shares.
enum class NumberStyle : std::uint8_t {
  count,   ///< 12,345; a number that is not whole has four digits
  scaled,  ///< 1.82 G
  factor,  ///< 1.89x
  plain,   ///< unchanged: a year, a seed, an id
  fine,    ///< a share: 93.27 %
  change,  ///< a share with its sign: +12.3 %
};

/// Values that a number can have. Reading checks them.
enum class Range : std::uint8_t {
  of_unit,      ///< 0 or more for times, sizes, work and rates; any for other units
  any,          ///< a difference, a point in time, or -1 for an unknown value
  amount,       ///< 0 or more
  fraction,     ///< 0 to 1
  at_most_one,  ///< 1 or less
};

/// A word of the vocabulary.
struct Figure {
  std::string_view key = {};      ///< in JSON, CSV and studies: `limit_s`
  std::string_view title = {};    ///< the head of a column: `limit`
  std::string_view meaning = {};  ///< a sentence
  Better better = Better::neither;
  NumberStyle style = NumberStyle::count;
  bool answer = false;  ///< a narrow table keeps its column for as long as it can
  Range range = Range::of_unit;

  [[nodiscard]] Unit unit() const;
};

/// The unit that a key's ending names.
[[nodiscard]] Unit unit_of_key(std::string_view key);

/// Ending of a key with this unit, without the underscore (`bytes_per_s`); symbol_of() is the text
/// after a number (`B/s`).
[[nodiscard]] std::string_view suffix_of(Unit unit);
[[nodiscard]] std::string_view symbol_of(Unit unit);

/// Finds a figure by its key; nullptr: the vocabulary does not have it.
[[nodiscard]] const Figure* find_figure(std::string_view key);

/// A value in a unit for people: `12.1 ms`, `97.6 %`, `1,812`.
[[nodiscard]] std::string text_in(Unit unit, double value, NumberStyle style = NumberStyle::count);

/// A value for people: `12.1 ms`, `45.8 GFLOP`, `97.6 %`, `34.7 FLOP/B`, `1.89x`, `1,812`.
[[nodiscard]] std::string text_of(const Figure& figure, double value);

}  // namespace rooflab
