#pragma once

#include <string_view>

namespace rooflab::chart {

/// `#rrggbb` of a colour index, which wraps around; negative counts as 0.
///
/// 0 blue, 1 vermillion, 2 bluish green, 3 reddish purple, 4 orange, 5 sky blue, 6 grey: the
/// palette of M. Okabe and K. Ito, "Color Universal Design" (2008), which people with any colour
/// vision tell apart, with grey for its black (to be seen on dark pages) and without its yellow
/// (faint on white).
[[nodiscard]] std::string_view color_of(int index);

}  // namespace rooflab::chart
