#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Values of a trace, from the very characters of the file. A number in quotes is that number.
namespace rooflab::import::kineto {

/// nullopt: no whole number, or one that 64 bits do not hold (Python writes such).
[[nodiscard]] std::optional<std::int64_t> integer_of(std::string_view token);

/// May be infinite or NaN: the profiler writes `Infinity` and `nan`, which are not JSON.
/// nullopt: no number.
[[nodiscard]] std::optional<double> number_of(std::string_view token);

/// Decimal microseconds as whole nanoseconds: `4396074161514.793` is 4396074161514793, without a
/// double in between, which has no room for it. Digits beyond are rounded, half away from zero.
/// nullopt: no number, or beyond 4e18 ns (127 years) on either side, so that sums of two times fit.
[[nodiscard]] std::optional<std::int64_t> nanoseconds_of(std::string_view token);

/// A string without quotes and escapes, other values as they are written. The text lies in the
/// token or in `scratch`. An invalid escape stays as written; a lone surrogate becomes U+FFFD.
[[nodiscard]] std::string_view text_of(std::string_view token, std::string& scratch);

/// Bytes that are not UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// Without blanks at both ends.
[[nodiscard]] std::string_view without_blanks(std::string_view token);

}  // namespace rooflab::import::kineto
