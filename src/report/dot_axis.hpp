#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "name_list.hpp"
#include "rooflab/report/document.hpp"

/// What pages and files share of dots on an axis.
namespace rooflab::report {

/// What is said of an axis.
struct DotAxisWords {
  std::string_view title;
  std::string_view predicted;
  std::string_view measured;
  std::optional<double> reference;  ///< is marked
};
[[nodiscard]] const DotAxisWords& words_of(DotAxis axis);

/// Whether colours say the rows' kinds, and not their groups.
[[nodiscard]] bool have_kinds(std::span<const PageDot> dots);
/// What colours say, in the order of the rows: the kinds of those that are not quiet, or the
/// groups.
[[nodiscard]] Names dot_names(std::span<const PageDot> dots);
/// An index of chart/palette.hpp; grey for what comes after the last hue.
[[nodiscard]] int color_of_name(std::size_t number);
/// Grey for a quiet row.
[[nodiscard]] int color_of_dot(const PageDot& dot, std::span<const std::string> names);

}  // namespace rooflab::report
