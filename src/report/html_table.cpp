#include "html_table.hpp"

#include "base/assert.hpp"
#include "html_text.hpp"
#include "rooflab/base/text.hpp"
#include "tone.hpp"

namespace rooflab::report {
namespace {

constexpr std::size_t rows_worth_a_filter = 8;
constexpr std::size_t long_text = 48;  // bytes: from here on a cell may break its lines
constexpr std::size_t longer_text = 3 * long_text;  // cut after three lines, whole as a tooltip

/// `wide`: a column that paper leaves out, as a terminal does.
std::string classes_of(const Column& column) {
  std::string classes = column.align == Align::left ? "left" : "";
  if (column.too_wide) classes += classes.empty() ? "wide" : " wide";
  return classes;
}

std::string html_cell(const Column& column, const Cell& cell) {
  std::string classes = classes_of(column);
  if (const Tone tone = tone_of_cell(cell.text); tone != Tone::none) {
    classes += format(" {}", name_of(tone));
  }
  const std::string text = html_text(cell.text);
  // What sorting reads; where it is the text, it is there already.
  const std::string raw =
      cell.raw == cell.text ? "" : format(" data-raw=\"{}\"", html_text(cell.raw));
  if (cell.text.size() < long_text || column.align != Align::left) {
    return format("<td class=\"{}\"{}>{}</td>", classes, raw, text);
  }
  const std::string tooltip = cell.text.size() < longer_text ? "" : format(" title=\"{}\"", text);
  return format("<td class=\"{} long\"{}{}><div>{}</div></td>", classes, raw, tooltip, text);
}

std::string html_row(const Table& table, const std::vector<Cell>& row) {
  ROOFLAB_ASSERT(row.size() == table.columns.size());
  std::string html = "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!table.columns[i].only_in_csv) html += html_cell(table.columns[i], row[i]);
  }
  return html + "</tr>\n";
}

std::string html_controls(const Table& table, const std::string& id) {
  if (table.rows.size() < rows_worth_a_filter) return {};
  std::string html = format(
      "<div class=\"controls\"><input type=\"search\" data-filters=\"{}\" placeholder=\"filter"
      " rows\" aria-label=\"filter rows\" autocomplete=\"off\">\n"
      "<span class=\"soft\" role=\"status\" data-counts=\"{}\"></span>\n",
      id, id);
  if (table.rows.size() > first_rows) {
    html += format("<button type=\"button\" data-shows=\"{}\" hidden></button>\n", id);
  }
  return html + "</div>\n";
}

}  // namespace

std::string html_table(const Table& table, const std::string& id) {
  std::string html = html_controls(table, id);
  // Which rows are hidden is the script's: without it all are there.
  const std::string first =
      table.rows.size() > first_rows ? format(" data-first=\"{}\"", first_rows) : "";
  html += format("<div class=\"scroll\"><table id=\"{}\"{}>\n<thead><tr>", id, first);
  for (const Column& column : table.columns) {
    if (column.only_in_csv) continue;
    html += format("<th scope=\"col\" class=\"{}\">{}</th>", classes_of(column),
                   html_text(column.title));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : table.rows) html += html_row(table, row);
  html += "</tbody>\n";
  if (!table.totals.empty()) {
    html += "<tfoot>\n";
    for (const std::vector<Cell>& row : table.totals) html += html_row(table, row);
    html += "</tfoot>\n";
  }
  return html + "</table></div>\n";
}

}  // namespace rooflab::report
