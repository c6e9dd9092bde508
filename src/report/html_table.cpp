#include "html_table.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/assert.hpp"
#include "html_text.hpp"
#include "rooflab/base/text.hpp"
#include "tone.hpp"
#include "unit_column.hpp"

namespace rooflab::report {
namespace {

constexpr std::size_t rows_worth_a_filter = 8;
constexpr std::size_t long_text = 48;  // bytes: from here on a cell may break its lines
constexpr std::size_t longer_text = 3 * long_text;  // cut after three lines, whole as a tooltip

/// How the columns of a table stand on the page.
class HtmlColumns {
 public:
  explicit HtmlColumns(const Table& table) : columns_(table.columns) {
    for (std::size_t i = 0; i < columns_.size(); ++i) units_.push_back(UnitColumn::of(table, i));
  }

  [[nodiscard]] bool any_wide() const {
    return std::ranges::any_of(
        columns_, [](const Column& each) { return each.too_wide && !each.only_in_csv; });
  }

  [[nodiscard]] std::string head() const {
    std::string html;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      if (column.only_in_csv) continue;
      const std::string about =
          column.about.empty() ? "" : format(" title=\"{}\"", html_text(column.about));
      html += format("<th scope=\"col\" class=\"{}\"{}>{}</th>", classes_of(column), about,
                     html_text(units_[i] ? units_[i]->title(column.title) : column.title));
    }
    return html;
  }

  [[nodiscard]] std::string row(const std::vector<Cell>& cells) const {
    ROOFLAB_ASSERT(cells.size() == columns_.size());
    std::string html = "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!columns_[i].only_in_csv) html += cell(i, cells[i]);
    }
    return html + "</tr>\n";
  }

 private:
  /// `wide`: a column that the page shows when its reader asks for all, and paper leaves out.
  static std::string classes_of(const Column& column) {
    std::string classes = column.align == Align::left ? "left" : "";
    if (column.too_wide) classes += classes.empty() ? "wide" : " wide";
    return classes;
  }

  [[nodiscard]] std::string cell(std::size_t i, const Cell& cell) const {
    const Column& column = columns_[i];
    std::string classes = classes_of(column);
    if (const Tone tone = tone_of_cell(cell.text); tone != Tone::none) {
      classes += format(" {}", name_of(tone));
    }
    const std::string shown = units_[i]    ? units_[i]->text(cell)
                              : column.cut ? name_cell(cell.text).text
                                           : cell.text;
    const std::string text = html_text(shown);
    // What sorting reads; where it is the text, it is there already.
    std::string more = cell.raw == shown ? "" : format(" data-raw=\"{}\"", html_text(cell.raw));
    if (const auto share = column.bar ? parse_number(cell.raw) : std::nullopt) {
      classes += classes.empty() ? "share" : " share";
      more +=
          format(" style=\"background-size:{:.1f}% 100%\"", 100.0 * std::clamp(*share, 0.0, 1.0));
    }
    if (column.cut || cell.text.size() < long_text || column.align != Align::left) {
      if (column.cut && shown != cell.raw) more += format(" title=\"{}\"", html_text(cell.raw));
      return format("<td class=\"{}\"{}>{}</td>", classes, more, text);
    }
    if (cell.text.size() >= longer_text) more += format(" title=\"{}\"", text);
    return format("<td class=\"{} long\"{}><div>{}</div></td>", classes, more, text);
  }

  const std::vector<Column>& columns_;
  std::vector<std::optional<UnitColumn>> units_;
};

std::string html_controls(const Table& table, const std::string& id, bool any_wide) {
  std::string html;
  if (table.rows.size() >= rows_worth_a_filter) {
    html += format(
        "<input type=\"search\" data-filters=\"{}\" placeholder=\"filter"
        " rows\" aria-label=\"filter rows\" autocomplete=\"off\">\n"
        "<span class=\"soft\" role=\"status\" data-counts=\"{}\"></span>\n",
        id, id);
  }
  if (table.rows.size() > first_rows) {
    html += format("<button type=\"button\" data-shows=\"{}\" hidden></button>\n", id);
  }
  if (any_wide) {
    html += format(
        "<button type=\"button\" data-widens=\"{}\" aria-pressed=\"false\">all columns"
        "</button>\n",
        id);
  }
  return html.empty() ? "" : format("<div class=\"controls\">{}</div>\n", html);
}

}  // namespace

std::string html_table(const Table& table, const std::string& id) {
  const HtmlColumns columns(table);
  std::string html = html_controls(table, id, columns.any_wide());
  // Which rows are hidden is the script's: without it all are there.
  const std::string first =
      table.rows.size() > first_rows ? format(" data-first=\"{}\"", first_rows) : "";
  html += format("<div class=\"scroll\"><table id=\"{}\"{}>\n<thead><tr>{}</tr></thead>\n<tbody>\n",
                 id, first, columns.head());
  for (const std::vector<Cell>& row : table.rows) html += columns.row(row);
  html += "</tbody>\n";
  if (!table.totals.empty()) {
    html += "<tfoot>\n";
    for (const std::vector<Cell>& row : table.totals) html += columns.row(row);
    html += "</tfoot>\n";
  }
  return html + "</table></div>\n";
}

}  // namespace rooflab::report
