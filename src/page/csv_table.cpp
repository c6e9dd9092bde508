#include "csv_table.hpp"

#include "base/csv.hpp"
#include "base/format.hpp"
#include "text_table.hpp"

namespace rooflab::page {
namespace {

std::string csv_field(std::string_view raw) { return csv_cell(printable(raw)); }

}  // namespace

std::string csv_table(const Table& table, std::size_t most_rows) {
  std::string text;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    text += format("{}{}", i == 0 ? "" : ",", csv_field(table.columns[i].key));
  }
  text += "\n";
  for (std::size_t n = 0; n < table.rows.size() && (most_rows == 0 || n < most_rows); ++n) {
    const std::vector<Cell>& row = table.rows[n];
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += format("{}{}", i == 0 ? "" : ",", csv_field(row[i].raw));
    }
    text += "\n";
  }
  return text;
}

}  // namespace rooflab::page
