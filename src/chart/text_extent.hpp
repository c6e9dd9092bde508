#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rooflab::chart {

/// Estimated width in pixels of a text in a font of `font_px` pixels: the advance widths of DejaVu
/// Sans, Debian's font for `sans-serif`. It is wider than Arial, Helvetica and similar fonts, so a
/// box of this width also holds the text in those.
[[nodiscard]] double text_width(std::string_view text, double font_px);

/// Height of a line: ascent and descent of DejaVu Sans.
[[nodiscard]] constexpr double line_height(double font_px) { return 1.17 * font_px; }

/// Number of columns in a terminal: 2 for wide East Asian letters and emoji, 0 for combining marks,
/// else 1.
[[nodiscard]] int column_count(std::string_view text);
[[nodiscard]] int column_count(char32_t code_point);

/// Returns the text, or its beginning with an ellipsis where it is wider than `width`.
[[nodiscard]] std::string elide_to_width(std::string_view text, double font_px, double width);
[[nodiscard]] std::string elide_to_columns(std::string_view text, int columns,
                                           std::string_view ellipsis = "…");

/// Returns the text, or its beginning and end with an ellipsis between them where it is wider than
/// `columns`.
[[nodiscard]] std::string elide_middle_to_columns(std::string_view text, int columns);

/// Breaks a text into lines at blanks; a word that is wider than a line is elided.
[[nodiscard]] std::vector<std::string> wrap_to_width(std::string_view text, double font_px,
                                                     double width);
[[nodiscard]] std::vector<std::string> wrap_to_columns(std::string_view text, int columns);

}  // namespace rooflab::chart
