#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chart/name_list.hpp"
#include "rooflab/page/document.hpp"

namespace rooflab::page {

/// A column for print. If all figures have one unit, it is in the head instead of the cells;
/// intervals are `46.0 (29.3--72.3)`.
struct FigureCells {
  std::string unit;               ///< unit with its prefix; empty: units are in the cells, if any
  std::vector<std::string> rows;  ///< texts
  std::vector<std::string> totals;
};

/// Makes cells for print. Figures are parsed from the cells' texts, `46.02 ms (29.29 ms to 72.31
/// ms)`; the plain figure of a cell determines the prefix. A column with other texts keeps them.
/// `dash`: separates the ends of an interval. Words after a figure, `, does not fit`, become as
/// many asterisks as their place in `remarks`, to which new ones are added.
[[nodiscard]] FigureCells figure_cells(const Table& table, std::size_t column,
                                       std::string_view dash, chart::Names& remarks);

}  // namespace rooflab::page
