#include "dot_axis.hpp"

#include <algorithm>
#include <array>

#include "palette.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

const DotAxisWords& words_of(DotAxis axis) {
  static constexpr std::array words = {
      DotAxisWords{"time of a step, logarithmic", "predicted", "measured", std::nullopt},
      DotAxisWords{"published over ours, logarithmic: they are equal at 1x", "over our prediction",
                   "over our measurement", 1.0}};
  return words.at(static_cast<std::size_t>(axis));
}

bool have_kinds(std::span<const Dot> dots) { return !dots.empty() && !dots.front().kind.empty(); }

Names dot_names(std::span<const Dot> dots) {
  const bool kinds = have_kinds(dots);
  Names names;
  for (const Dot& dot : dots) {
    if (!kinds) {
      add_name(names, dot.group);
    } else if (!dot.is_quiet) {
      add_name(names, dot.kind);
    }
  }
  return names;
}

int color_of_name(std::size_t number) {
  constexpr auto grey = static_cast<std::size_t>(neutral_color);
  return static_cast<int>(std::min(number, grey));
}

int color_of_dot(const Dot& dot, std::span<const std::string> names) {
  if (dot.is_quiet) return neutral_color;
  const std::string& name = dot.kind.empty() ? dot.group : dot.kind;
  return color_of_name(static_cast<std::size_t>(std::ranges::find(names, name) - names.begin()));
}

}  // namespace rooflab::chart
