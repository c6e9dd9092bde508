#include "palette.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/format.hpp"

namespace rooflab::chart {
namespace {

/// Wraps around; negative counts as 0.
template <class Colors>
const auto& at_index(const Colors& colors, int index) {
  return colors.at(static_cast<std::size_t>(std::max(index, 0)) % colors.size());
}

}  // namespace

std::string_view color_of(int index) {
  constexpr std::array<std::string_view, color_count> colors = {
      "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A7A7A"};
  return at_index(colors, index);
}

std::string_view dark_color_of(int index) {
  constexpr std::array<std::string_view, color_count> colors = {
      "#4F9BE0", "#F2793A", "#2FC79B", "#E39BC4", "#F0B93A", "#9ADBFF", "#A8A8A8"};
  return at_index(colors, index);
}

std::string in_terminal_color(std::string_view text, int index) {
  // Blue, red, green, magenta, yellow, cyan, and dim for grey.
  constexpr std::array<int, color_count> codes = {34, 31, 32, 35, 33, 36, 2};
  return format("\x1b[{}m{}\x1b[0m", at_index(codes, index), text);
}

}  // namespace rooflab::chart
