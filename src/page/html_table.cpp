#include "html_table.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "chart/html_text.hpp"
#include "chart/renderers.hpp"
#include "chart/tone.hpp"
#include "unit_column.hpp"

namespace rooflab::page {
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
          column.about.empty() ? "" : format(" title=\"{}\"", chart::html_text(column.about));
      html += format("<th scope=\"col\" class=\"{}\"{}>{}</th>", classes_of(column), about,
                     chart::html_text(units_[i] ? units_[i]->title(column.title) : column.title));
    }
    return html;
  }

  [[nodiscard]] std::string row(const std::vector<Cell>& cells) const {
    ROOFLAB_ASSERT(cells.size() == columns_.size());
    const double whole = heat_sum(cells);
    std::string html = "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!columns_[i].only_in_csv) {
        html += format("<td{}</td>", cell(i, cells[i], whole));
      }
    }
    return html + "</tr>\n";
  }

  /// What is between `<td` and `</td>` in a shown column, a line for each row.
  [[nodiscard]] std::vector<std::string> columns(const std::vector<std::vector<Cell>>& rows) const {
    std::vector<double> wholes;
    for (const std::vector<Cell>& cells : rows) wholes.push_back(heat_sum(cells));
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].only_in_csv) continue;
      std::string& text = texts.emplace_back();
      for (std::size_t row = 0; row < rows.size(); ++row) {
        text += (text.empty() ? "" : "\n") + cell(i, rows[row][i], wholes[row]);
      }
    }
    return texts;
  }

 private:
  /// The sum of a row's shaded cells.
  [[nodiscard]] double heat_sum(const std::vector<Cell>& cells) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns_[i].heat) sum += parse_number(cells[i].raw).value_or(0.0);
    }
    return sum;
  }

  /// Whether what is shown sorts as the bare figure does: one unit a column, or a percentage.
  [[nodiscard]] bool sorts_as_shown(std::size_t i, const Cell& cell) const {
    return parse_number(cell.raw) && (units_[i] || cell.text.ends_with(" %"));
  }

  /// `wide`: a column that the page shows when its reader asks for all, and paper leaves out.
  static std::string classes_of(const Column& column) {
    std::string classes = column.align == Align::left ? "left" : "";
    if (column.too_wide) classes += classes.empty() ? "wide" : " wide";
    return classes;
  }

  /// Attributes and content; `whole`: heat_sum() of the row.
  [[nodiscard]] std::string cell(std::size_t i, const Cell& cell, double whole) const {
    const Column& column = columns_[i];
    std::string classes = classes_of(column);
    if (const chart::Tone tone = chart::tone_of_cell(cell.text); tone != chart::Tone::none) {
      classes += format(" {}", name_of(tone));
    }
    const std::string shown = units_[i]    ? units_[i]->text(cell)
                              : column.cut ? name_cell(cell.text).text
                                           : cell.text;
    const std::string text = chart::html_text(shown);
    // What sorting reads; where it is the text, it is there already.
    std::string more = cell.raw == shown || sorts_as_shown(i, cell)
                           ? ""
                           : format(" data-raw=\"{}\"", chart::html_text(cell.raw));
    if (column.heat && whole > 0.0) {
      constexpr double darkest = 0.6;
      more += format(" style=\"background-color:rgba(11,87,164,{:.2f})\"",
                     darkest * parse_number(cell.raw).value_or(0.0) / whole);
    }
    if (const auto share = column.bar ? parse_number(cell.raw) : std::nullopt) {
      classes += classes.empty() ? "share" : " share";
      more +=
          format(" style=\"background-size:{:.1f}% 100%\"", 100.0 * std::clamp(*share, 0.0, 1.0));
    }
    if (column.cut || cell.text.size() < long_text || column.align != Align::left) {
      if (column.cut && shown != cell.raw)
        more += format(" title=\"{}\"", chart::html_text(cell.raw));
      return format("{}{}>{}", class_attribute(classes), more, text);
    }
    if (cell.text.size() >= longer_text) more += format(" title=\"{}\"", text);
    return format("{}{}><div>{}</div>", class_attribute(classes + " long"), more, text);
  }

  static std::string class_attribute(const std::string& classes) {
    return classes.empty() ? "" : format(" class=\"{}\"", classes);
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

namespace {

/// The table with `body` between its head and its totals; `more`: attributes.
std::string html_frame(const Table& table, const HtmlColumns& columns, const std::string& id,
                       const std::string& more, const std::string& body) {
  std::string html = html_controls(table, id, columns.any_wide());
  // Which rows are hidden is the script's: without it all are there.
  const std::string first =
      table.rows.size() > first_rows ? format(" data-first=\"{}\"", first_rows) : "";
  html += format(
      "<div class=\"scroll rows\"><table id=\"{}\"{}{}>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}"
      "</tbody>\n",
      id, first, more, columns.head(), body);
  if (!table.totals.empty()) {
    html += "<tfoot>\n";
    for (const std::vector<Cell>& row : table.totals) html += columns.row(row);
    html += "</tfoot>\n";
  }
  return html + "</table></div>\n";
}

}  // namespace

std::string html_table(const Table& table, const std::string& id) {
  const HtmlColumns columns(table);
  std::string body;
  for (const std::vector<Cell>& row : table.rows) body += columns.row(row);
  return html_frame(table, columns, id, "", body);
}

std::string html_table_later(const Table& table, const std::string& id, ColumnPool& pool) {
  if (table.rows.empty()) return html_table(table, id);
  const HtmlColumns columns(table);
  std::vector<std::string> numbers;
  for (std::string& column : columns.columns(table.rows)) {
    numbers.push_back(format("{}", pool.number_of(std::move(column))));
  }
  return html_frame(table, columns, id, format(" data-columns=\"{}\"", join(numbers, ",")), "");
}

std::size_t ColumnPool::number_of(std::string column) {
  return numbers_.try_emplace(std::move(column), numbers_.size()).first->second;
}

std::string ColumnPool::html() const {
  if (numbers_.empty()) return {};
  std::vector<std::string> columns(numbers_.size());
  for (const auto& [column, number] : numbers_) columns[number] = column;
  return format("<script type=\"application/json\" id=\"columns\">{}</script>\n",
                chart::script_json(Json(columns)));
}

}  // namespace rooflab::page
