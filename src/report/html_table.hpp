#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// Rows that a table shows before its reader asks for all.
inline constexpr std::size_t first_rows = 200;

/// A table that page_script.hpp sorts and filters, with its filter and button where it is long.
/// `id` is of ASCII letters, digits and `-`.
[[nodiscard]] std::string html_table(const Table& table, const std::string& id);

/// The columns of all tables of a page that are drawn when they are opened, each once: the layers
/// of one network on many devices differ in their times only.
class ColumnPool {
 public:
  /// `column`: a line for each row, with what stands between `<td` and `</td>`.
  [[nodiscard]] std::size_t number_of(std::string column);
  /// The script element that holds them; empty without any.
  [[nodiscard]] std::string html() const;

 private:
  std::map<std::string, std::size_t> numbers_;
};

/// The same table without its rows, which page_script.hpp takes from the pool.
[[nodiscard]] std::string html_table_later(const Table& table, const std::string& id,
                                           ColumnPool& pool);

}  // namespace rooflab::report
