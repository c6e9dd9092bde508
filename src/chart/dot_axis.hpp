#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "name_list.hpp"
#include "rooflab/chart/dots.hpp"

/// Common functions of pages and files for dots on an axis.
namespace rooflab::chart {

/// Texts for an axis.
struct DotAxisWords {
  std::string_view title;
  std::string_view predicted;
  std::string_view measured;
  std::optional<double> reference;  ///< marked value
};
[[nodiscard]] const DotAxisWords& words_of(DotAxis axis);

/// Whether colours show the rows' kinds instead of their groups.
[[nodiscard]] bool have_kinds(std::span<const Dot> dots);
/// Names that colours represent, in the order of the rows: kinds of the rows that are not quiet, or
/// groups.
[[nodiscard]] Names dot_names(std::span<const Dot> dots);
/// Index in chart/palette.hpp; grey after the last hue.
[[nodiscard]] int color_of_name(std::size_t number);
/// Colour of a dot; grey for a quiet row.
[[nodiscard]] int color_of_dot(const Dot& dot, std::span<const std::string> names);

}  // namespace rooflab::chart
