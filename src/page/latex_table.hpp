#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/page/document.hpp"

namespace rooflab::page {

/// Any text as LaTeX that pdflatex, xelatex and lualatex print literally. Letters beyond Latin-1
/// that LaTeX's own fonts lack are printed as code points, `[U+4E2D]`.
[[nodiscard]] std::string latex_text(std::string_view text);

/// A `tabular` with booktabs' rules, or a `longtable` for more than a page. Figures are
/// right-aligned, with one unit per column in its head where possible. Like a table on a terminal
/// it has only the columns that fit, here in a text 16 cm wide in 10 pt (A4 with margins of 2.5
/// cm); long texts have line breaks. `comments` are above it, one line each.
///
/// A longtable begins with \rooflabcaption where that is defined.
struct LatexTable {
  std::string text;
  bool is_long = false;  ///< needs the package longtable, and must not be in a float
};
[[nodiscard]] LatexTable latex_table(const Table& table, const std::vector<std::string>& comments);

}  // namespace rooflab::page
