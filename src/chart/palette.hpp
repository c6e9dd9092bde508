#pragma once

#include <string>
#include <string_view>

namespace rooflab::chart {

/// Colour `#rrggbb` of an index, which wraps around; a negative one counts as 0.
///
/// 0 blue, 1 vermillion, 2 bluish green, 3 reddish purple, 4 orange, 5 sky blue, 6 grey: the
/// palette of M. Okabe and K. Ito, "Color Universal Design" (2008), which people with any colour
/// vision can distinguish, with grey instead of black (visible on dark pages) and without yellow
/// (faint on white).
[[nodiscard]] std::string_view color_of(int index);

/// Lighter colour `#rrggbb` of an index, for marks on a dark page.
[[nodiscard]] std::string_view dark_color_of(int index);
inline constexpr int color_count = 7;

/// Puts a text between the escape sequences of the nearest of the eight colours that every terminal
/// has, in the reader's own shades.
[[nodiscard]] std::string in_terminal_color(std::string_view text, int index);

}  // namespace rooflab::chart
