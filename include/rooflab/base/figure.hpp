#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The vocabulary of Rooflab: every key of its files, tables and studies is a row of
/// figure_table.hpp, and is spelled there alone. docs/formats/README.md has the rules.
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
  share,  ///< a fraction of one; in per cent for people
};

/// Which of two values of a figure is the better one.
enum class Better : std::uint8_t { neither, lower, higher };

/// How numbers without a unit are shown, and shares.
enum class NumberStyle : std::uint8_t {
  count,   ///< 12,345; a number that is not whole has four digits
  scaled,  ///< 1.82 G
  factor,  ///< 1.89x
  plain,   ///< unchanged: a year, a seed, an id
  fine,    ///< a share: 93.27 %
  change,  ///< a share with its sign: +12.3 %
};

/// Values that a number can have. What is read back is held against it.
enum class Range : std::uint8_t {
  of_unit,      ///< times, sizes, work and rates: 0 or more; all others: any
  any,          ///< a difference, a place in time, or -1 for what is not known
  amount,       ///< 0 or more
  fraction,     ///< 0 to 1
  at_most_one,  ///< 1 or less
};

/// A word of the vocabulary.
struct Figure {
  std::string_view key;      ///< in JSON, CSV and studies: `limit_s`
  std::string_view title;    ///< the head of a column: `limit`
  std::string_view meaning;  ///< a sentence
  Better better = Better::neither;
  NumberStyle style = NumberStyle::count;
  bool answer = false;  ///< a narrow table keeps its column for as long as it can
  Range range = Range::of_unit;

  [[nodiscard]] Unit unit() const;
};

/// The unit that a key's ending names.
[[nodiscard]] Unit unit_of_key(std::string_view key);

/// The ending of a key with that unit, without the underscore, and what stands behind a number:
/// `bytes_per_s` and `B/s`.
[[nodiscard]] std::string_view suffix_of(Unit unit);
[[nodiscard]] std::string_view symbol_of(Unit unit);

/// nullptr where the vocabulary does not have the key.
[[nodiscard]] const Figure* find_figure(std::string_view key);

/// A value in a unit for people: `12.1 ms`, `97.6 %`, `1,812`.
[[nodiscard]] std::string text_in(Unit unit, double value, NumberStyle style = NumberStyle::count);

/// A value for people: `12.1 ms`, `45.8 GFLOP`, `97.6 %`, `34.7 FLOP/B`, `1.89x`, `1,812`.
[[nodiscard]] std::string text_of(const Figure& figure, double value);

}  // namespace rooflab
