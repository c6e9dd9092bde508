#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "name_list.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// A column for print: figures without their unit where all have one, which then stands in the
/// head, and intervals as `46.0 (29.3--72.3)`.
struct FigureCells {
  std::string unit;               ///< with its prefix; empty: the cells have theirs, if any
  std::vector<std::string> rows;  ///< texts
  std::vector<std::string> totals;
};

/// Figures are read from the texts of the cells, `46.02 ms (29.29 ms to 72.31 ms)`, and the bare
/// figure beside a text says what its prefix is. A column with other texts keeps these. `dash`
/// stands between the ends of an interval. Words behind a figure, `, does not fit`, become
/// asterisks, as many as their place in `remarks`, which gets what it does not have.
[[nodiscard]] FigureCells figure_cells(const Table& table, std::size_t column,
                                       std::string_view dash, Names& remarks);

}  // namespace rooflab::report
