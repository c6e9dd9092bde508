#include "case_columns.hpp"

#include <algorithm>
#include <iterator>

namespace rooflab::report {

std::vector<Column> case_columns(std::vector<Column> figures) {
  std::vector<Column> columns = {{"model", "model", Align::left},
                                 {"device", "device", Align::left},
                                 {"batch", "batch"},
                                 {"phase", "phase", Align::left},
                                 {"precision", "precision", Align::left}};
  std::ranges::move(figures, std::back_inserter(columns));
  return columns;
}

void move_constants_to_title(Table& table, std::initializer_list<std::string_view> keys) {
  if (table.rows.empty()) return;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    Column& column = table.columns[i];
    if (std::ranges::find(keys, column.key) == keys.end()) continue;
    const Cell& first = table.rows.front()[i];
    column.only_in_csv = std::ranges::all_of(
        table.rows, [&](const std::vector<Cell>& row) { return row[i].raw == first.raw; });
    if (!column.only_in_csv || first.raw.empty()) continue;
    if (!table.title.empty()) table.title += ", ";
    const bool named = column.key == "batch" || column.key == "link";
    table.title += (named ? column.title + " " : "") + first.text;
    if (column.key == "scaling") table.title += " scaling";
  }
}

void hide_without_figures(Table& table, std::initializer_list<std::string_view> keys) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (std::ranges::find(keys, table.columns[i].key) == keys.end()) continue;
    if (std::ranges::all_of(table.rows, [i](const auto& row) { return row[i].raw.empty(); })) {
      table.columns[i].only_in_csv = true;
    }
  }
}

}  // namespace rooflab::report
