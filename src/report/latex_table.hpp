#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// A text from anywhere as LaTeX that pdflatex, xelatex and lualatex print letter by letter.
/// Letters beyond Latin-1 that no font of LaTeX's own has are printed as their code points,
/// `[U+4E2D]`.
[[nodiscard]] std::string latex_text(std::string_view text);

/// A `tabular` with booktabs' rules, or a `longtable` for what one page does not hold. Figures are
/// right-aligned, with one unit a column in its head where that is possible. It has the columns
/// that fit a text 16 cm wide in 10 pt (A4 with margins of 2.5 cm), as a terminal's table has those
/// that fit it; long texts break their lines. `comments` stand above it, a line each.
///
/// A longtable begins with \rooflabcaption where that is defined.
struct LatexTable {
  std::string text;
  bool is_long = false;  ///< needs the package longtable, and stands in no float
};
[[nodiscard]] LatexTable latex_table(const Table& table, const std::vector<std::string>& comments);

}  // namespace rooflab::report
