#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab {

[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string lowercase(std::string_view text);

/// Whether the character is one of ASCII's ten digits.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Whether the character is one of ASCII's letters.
[[nodiscard]] constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A whole text as a number: no blanks, no rest; nullopt otherwise or when out of range.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// Letters inserted, deleted or replaced, and neighbours swapped, at a cost of 1 each. Source: the
/// optimal string alignment of Damerau, Communications of the ACM 7 (3), 1964.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `text` by edit distance. If more than one letter and more than a third
/// of the letters differ: the only candidate that begins with `text` (three letters or more), else
/// nullopt.
[[nodiscard]] std::optional<std::string> nearest(std::string_view text,
                                                 std::span<const std::string> candidates);

/// The hint for an unknown name: `did you mean 'resnet18'? (rooflab models)`, the remark
/// in brackets; `otherwise` when no candidate is near.
[[nodiscard]] std::string near_hint(std::string_view text, std::span<const std::string> candidates,
                                    std::string otherwise, std::string_view remark = {});

/// `value` scaled to an SI prefix with about `digits` significant digits: 464.4 G, 1.8 M, 12.
/// Trailing unit is appended: si(3.1e-3, "s") is "3.1 ms".
[[nodiscard]] std::string si(double value, std::string_view unit, int digits = 4);

/// Formats an integer with separators: `12,345,678`.
[[nodiscard]] std::string with_thousands(std::int64_t value);

/// Four significant digits; from a thousand on a whole number with thousands: `12.35`, `13,281`.
[[nodiscard]] std::string plain_number(double value);

/// Bytes as MiB with two decimals, without the unit.
[[nodiscard]] std::string mebibytes(std::int64_t bytes);

/// Escaped for HTML text and attribute values.
[[nodiscard]] std::string escape_html(std::string_view text);

/// `1 case`, `1,200 cases`: for words whose plural adds an s.
[[nodiscard]] std::string plural(std::int64_t count, std::string_view word);

/// A command line that a shell reads back as the same words, with single quotes where needed.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

}  // namespace rooflab
