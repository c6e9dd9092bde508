#include "palette.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rooflab::chart {

std::string_view color_of(int index) {
  constexpr std::array<std::string_view, 7> colors = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                      "#E69F00", "#56B4E9", "#7A7A7A"};
  return colors.at(static_cast<std::size_t>(std::max(index, 0)) % colors.size());
}

}  // namespace rooflab::chart
