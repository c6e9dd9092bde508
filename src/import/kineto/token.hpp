#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Parsers for the values of a trace, which use the characters of the file. Numbers may be in
/// quotes.
namespace rooflab::import::kineto {

/// Parses a whole number; nullopt: not a whole number, or one beyond 64 bits (Python writes such
/// numbers).
[[nodiscard]] std::optional<std::int64_t> integer_of(std::string_view token);

/// Parses a number, which may be infinite or NaN: the profiler writes `Infinity` and `nan`, which
/// are not JSON. nullopt: not a number.
[[nodiscard]] std::optional<double> number_of(std::string_view token);

/// Converts decimal microseconds to whole nanoseconds: `4396074161514.793` is 4396074161514793,
/// without the loss of an intermediate double. Further digits are rounded, half away from zero.
/// nullopt: not a number, or an absolute value above 4e18 ns (127 years), so that sums of two times
/// fit in 64 bits.
[[nodiscard]] std::optional<std::int64_t> nanoseconds_of(std::string_view token);

/// Returns a string without quotes and escapes, other values as they are written. The result refers
/// to the token or to `scratch`. An invalid escape stays as written; a lone surrogate becomes
/// U+FFFD.
[[nodiscard]] std::string_view text_of(std::string_view token, std::string& scratch);

/// Replaces bytes that are not UTF-8 by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// Removes blanks at both ends.
[[nodiscard]] std::string_view without_blanks(std::string_view token);

}  // namespace rooflab::import::kineto
