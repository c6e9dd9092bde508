#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "rooflab/page/document.hpp"

namespace rooflab::page {

/// Number of rows that a table shows before a reader opens all.
inline constexpr std::size_t first_rows = 200;

/// A table that page_script.hpp sorts and filters, with a filter and a button if it is long. `id`
/// has ASCII letters, digits and `-`.
[[nodiscard]] std::string html_table(const Table& table, const std::string& id);

/// The distinct columns of all tables of a page that are drawn when they are opened: layers of one
/// network on many devices differ only in their times.
class ColumnPool {
 public:
  /// Number of a column. `column`: one line per row, with the text between `<td` and `</td>`.
  [[nodiscard]] std::size_t number_of(std::string column);
  /// The script element with all columns; empty without any.
  [[nodiscard]] std::string html() const;

 private:
  std::map<std::string, std::size_t> numbers_;
};

/// A table without its rows, which page_script.hpp takes from the pool when the table is opened.
/// `id`: see html_table().
[[nodiscard]] std::string html_table_later(const Table& table, const std::string& id,
                                           ColumnPool& pool);

}  // namespace rooflab::page
