#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/page/document.hpp"

namespace rooflab::page {

/// Largest width of a kernel's name, in columns: in text, Markdown and the labels of bars.
inline constexpr int longest_name = 56;

/// Makes a text safe for a terminal, because names come from files.
[[nodiscard]] std::string printable(std::string_view text);
/// Width of a text on the screen, in columns.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// Returns the first rows of a table; the title then shows that rows are left out.
[[nodiscard]] Table first_rows_of(Table table, std::size_t most_rows);

/// A column that a text of limited width shows.
struct FittingColumn {
  std::size_t index = 0;  ///< in Table::columns
  std::size_t width = 0;  ///< width in letters
  bool wraps = false;     ///< its texts are longer and continue in further lines
};
/// Columns that text_table() shows in `width` letters, with two blanks between columns.
[[nodiscard]] std::vector<FittingColumn> fitting_columns(const Table& table, std::size_t width);

/// A table for a terminal. In one that is narrower than the table
///
/// 1. the columns of long names (Column::cut, Column::shrinks) get narrower,
/// 2. columns are left out, from the right, first those without Column::answer, but
///    never the first one,
/// 3. remaining texts get narrower and continue in further lines.
///
/// Step 3 comes before the answers are left out. Numbers are never shortened. A line below the
/// table lists the parts that were left out.
[[nodiscard]] std::string text_table(const Table& table, const TextStyle& style);

}  // namespace rooflab::page
