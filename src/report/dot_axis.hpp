#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "name_list.hpp"
#include "rooflab/report/document.hpp"

/// Common functions of pages and files for dots on an axis.
namespace rooflab::report {

/// Texts for an axis.
struct DotAxisWords {
  std::string_view title;
  std::string_view predicted;
  std::string_view measured;
  std::optional<double> reference;  ///< marked value
};
[[nodiscard]] const DotAxisWords& words_of(DotAxis axis);

/// Whether colours show the rows' kinds instead of their groups.
[[nodiscard]] bool have_kinds(std::span<const PageDot> dots);
/// Names that colours represent, in the order of the rows: kinds of the rows that are not quiet, or
/// groups.
[[nodiscard]] Names dot_names(std::span<const PageDot> dots);
/// Index in chart/palette.hpp; grey after the last hue.
[[nodiscard]] int color_of_name(std::size_t number);
/// Colour of a dot; grey for a quiet row.
[[nodiscard]] int color_of_dot(const PageDot& dot, std::span<const std::string> names);

}  // namespace rooflab::report
