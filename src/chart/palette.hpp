#pragma once

#include <string>
#include <string_view>

namespace rooflab::chart {

/// `#rrggbb` of a colour index, which wraps around; negative counts as 0.
///
/// 0 blue, 1 vermillion, 2 bluish green, 3 reddish purple, 4 orange, 5 sky blue, 6 grey: the
/// palette of M. Okabe and K. Ito, "Color Universal Design" (2008), which people with any colour
/// vision tell apart, with grey for its black (to be seen on dark pages) and without its yellow
/// (faint on white).
[[nodiscard]] std::string_view color_of(int index);

/// The same colour, lighter, for marks on a dark page.
[[nodiscard]] std::string_view dark_color_of(int index);
inline constexpr int color_count = 7;

/// The text between the escape sequences of the terminal's colour that is nearest: of the eight
/// that every terminal has, in the reader's own shades.
[[nodiscard]] std::string in_terminal_color(std::string_view text, int index);

}  // namespace rooflab::chart
