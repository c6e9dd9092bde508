#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// Columns that the name of a kernel takes at most: in text, Markdown and the labels of bars.
inline constexpr int longest_name = 56;

/// Names come from files: nothing that acts on a terminal reaches it.
[[nodiscard]] std::string printable(std::string_view text);
/// Columns on the screen.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// The table's title says that rows are left out.
[[nodiscard]] Table first_rows_of(Table table, std::size_t most_rows);

/// A column that a text of limited width shows.
struct FittingColumn {
  std::size_t index = 0;  ///< in Table::columns
  std::size_t width = 0;  ///< letters
  bool wraps = false;     ///< its texts are longer and go on in further lines
};
/// What text_table() shows in that many letters, with two blanks between columns.
[[nodiscard]] std::vector<FittingColumn> fitting_columns(const Table& table, std::size_t width);

/// A table for a terminal. In one that is narrower than the table
///
/// 1. the columns of long names (Column::cut, Column::shrinks) get narrower,
/// 2. columns are left out, from the right, first those without Column::answer, but
///    never the first one,
/// 3. what remains of the texts gets narrower: they go on in further lines.
///
/// Step 3 comes before the answers are left out. Numbers are never shortened. The line below the
/// table says what was left out.
[[nodiscard]] std::string text_table(const Table& table, const TextStyle& style);

}  // namespace rooflab::report
