#include "rooflab/report/document.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <utility>

#include "base/assert.hpp"
#include "base/csv.hpp"
#include "base/json_fields.hpp"
#include "chart/safe_text.hpp"
#include "finding_part.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::report {
namespace {

/// Letters on the screen: UTF-8 continuation bytes take no room.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t width, Align align) {
  const std::size_t used = width_of(text);
  const std::string blanks(width > used ? width - used : 0, ' ');
  return align == Align::left ? std::string(text) + blanks : blanks + std::string(text);
}

/// Names come from files: nothing that acts on a terminal reaches it.
std::string printable(std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
  return plain ? std::string(text) : chart::safe_text(text);
}

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (const Column& column : table.columns) widths.push_back(width_of(column.title));
  for (const auto* rows : {&table.rows, &table.totals}) {
    for (const std::vector<Cell>& row : *rows) {
      ROOFLAB_ASSERT(row.size() == widths.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        widths[i] = std::max(widths[i], width_of(printable(row[i].text)));
      }
    }
  }
  return widths;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

bool is_in_text(const Column& column) { return !column.only_in_csv && !column.too_wide; }

std::string text_line(const Table& table, const std::vector<std::size_t>& widths,
                      const std::vector<Cell>& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!is_in_text(table.columns[i])) continue;
    if (!line.empty()) line += "  ";
    line += padded(printable(row[i].text), widths[i], table.columns[i].align);
  }
  return without_trailing_blanks(std::move(line)) + "\n";
}

std::string text_table(const Table& table, TextStyle style) {
  const std::vector<std::size_t> widths = widths_of(table);
  std::size_t total = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (is_in_text(table.columns[i])) total += widths[i] + 2;
  }
  const std::string rule = std::string(total >= 2 ? total - 2 : 0, '-') + "\n";
  std::vector<Cell> header;
  for (const Column& column : table.columns) header.emplace_back(column.title);
  std::string text = table.title.empty() ? "" : printable(table.title) + "\n";
  std::string titles = text_line(table, widths, header);
  if (style.color) {
    titles.pop_back();
    titles = format("\x1b[1m{}\x1b[0m\n", titles);
  }
  text += titles;
  text += rule;
  for (const std::vector<Cell>& row : table.rows) text += text_line(table, widths, row);
  if (!table.totals.empty()) text += rule;
  for (const std::vector<Cell>& row : table.totals) text += text_line(table, widths, row);
  return text;
}

std::string escaped_markdown(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (c == '|' || c == '\\' || c == '<' || c == '`' || c == '*' || c == '[') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string markdown_table(const Table& table) {
  std::string text = table.title.empty() ? "" : format("### {}\n\n", escaped_markdown(table.title));
  std::string rule = "|";
  text += "|";
  for (const Column& column : table.columns) {
    if (column.only_in_csv) continue;
    text += format(" {} |", escaped_markdown(column.title));
    rule += column.align == Align::left ? " :-- |" : " --: |";
  }
  text += "\n" + rule + "\n";
  for (const auto* rows : {&table.rows, &table.totals}) {
    for (const std::vector<Cell>& row : *rows) {
      ROOFLAB_ASSERT(row.size() == table.columns.size());
      text += "|";
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (!table.columns[i].only_in_csv) text += format(" {} |", escaped_markdown(row[i].text));
      }
      text += "\n";
    }
  }
  return text;
}

std::string csv_field(std::string_view raw) { return csv_cell(printable(raw)); }

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

/// A table's first rows, with the beginnings of the names that would fill a screen.
Table shortened(Table table, std::size_t most_rows) {
  if (most_rows > 0 && table.rows.size() > most_rows) {
    table.title += format(" (the first {} of {})", most_rows, table.rows.size());
    table.rows.resize(most_rows);
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].cut) continue;
    for (std::vector<Cell>& row : table.rows) row[i] = name_cell(row[i].raw);
  }
  return table;
}

constexpr std::size_t widest_finding = 100;  // columns, where nobody tells

std::string render_text(const Document& document, TextStyle style) {
  std::string text;
  for (const std::string& paragraph : document.introduction) text += printable(paragraph) + "\n";
  if (!text.empty() && !document.findings.empty()) text += "\n";
  text += findings_text(document, widest_finding);
  for (const Table* const table : document.text_tables()) {
    if (!text.empty()) text += "\n";
    text += text_table(shortened(*table, document.most_rows), style);
  }
  const std::vector<std::string> notes = document.text_notes();
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += printable(note) + "\n";
  return text;
}

std::string render_markdown(const Document& document) {
  std::string text = format("## {}\n", escaped_markdown(document.title));
  for (const std::string& paragraph : document.introduction) {
    const bool is_sign = !paragraph.empty() &&
                         std::string_view("#>+-=~").find(paragraph[0]) != std::string_view::npos;
    text += format("\n{}{}\n", is_sign ? "\\" : "", escaped_markdown(paragraph));
  }
  text += findings_markdown(document, escaped_markdown);
  for (const Table* const table : document.text_tables()) {
    text += format("\n{}", markdown_table(shortened(*table, document.most_rows)));
  }
  const std::vector<std::string> notes = document.text_notes();
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += format("- {}\n", escaped_markdown(note));
  return text;
}

std::string bare(double value) { return format("{}", value); }

Json table_json(const Table& table) {
  std::vector<Json> rows;
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<Json> cells;
    for (const Cell& cell : row) {
      const std::optional<double> number = parse_number(cell.raw);
      cells.push_back(cell.raw.empty() ? Json(nullptr)
                      : number         ? count_json(*number)
                                       : Json(cell.raw));
    }
    rows.emplace_back(cells);
  }
  std::vector<std::string> columns;
  for (const Column& column : table.columns) columns.push_back(column.key);
  return {{"title", table.title}, {"columns", columns}, {"rows", rows}};
}

}  // namespace

std::vector<const Table*> Document::text_tables() const {
  std::vector<const Table*> all;
  for (const Table& table : tables) all.push_back(&table);
  for (const PageSection& section : sections) {
    if (section.in_text) {
      for (const Table& table : section.tables) all.push_back(&table);
    }
    for (const PageDetail& detail : section.details) {
      if (detail.in_text) all.push_back(&detail.table);
    }
  }
  return all;
}

std::vector<std::string> Document::text_notes() const {
  std::vector<std::string> all = notes;
  for (const PageSection& section : sections) {
    if (!section.in_text || section.captions) continue;
    for (const std::string& note : section.notes) {
      all.push_back(names_sections ? format("{}: {}", section.heading, note) : note);
    }
  }
  all.insert(all.end(), closing.begin(), closing.end());
  return all;
}

std::optional<Format> format_from_name(std::string_view name) {
  if (name == "table") return Format::table;
  if (name == "md") return Format::markdown;
  if (name == "csv") return Format::csv;
  if (name == "json") return Format::json;
  return std::nullopt;
}

std::optional<Format> format_from_extension(std::string_view extension) {
  if (extension == ".txt") return Format::table;
  if (extension == ".html" || extension == ".htm") return Format::html;
  if (extension.starts_with('.')) return format_from_name(extension.substr(1));
  return std::nullopt;
}

void render(std::ostream& stream, const Document& document, Format format, TextStyle style) {
  switch (format) {
    case Format::table:
      stream << render_text(document, style);
      return;
    case Format::markdown:
      stream << render_markdown(document);
      return;
    case Format::csv:
      if (const auto tables = document.text_tables(); !tables.empty()) {
        stream << csv_table(*tables.front(), document.most_rows);
      }
      return;
    case Format::json:
      if (document.write_json) {
        document.write_json(stream);
        return;
      }
      // Names from files need not be UTF-8.
      stream << document.json.dump(2) << "\n";
      return;
    case Format::html:
      break;
  }
  ROOFLAB_ASSERT(false);
}

std::string render(const Document& document, Format format, TextStyle style) {
  std::ostringstream stream;
  render(stream, document, format, style);
  return std::move(stream).str();
}

void show_all_tables(Document& document, std::string_view command) {
  for (PageSection& section : document.sections) {
    section.in_text = true;
    for (Table& table : section.tables) {
      if (table.title.empty()) table.title = section.heading;
    }
  }
  std::vector<Json> tables;
  for (const Table* const table : document.text_tables()) tables.push_back(table_json(*table));
  document.closing.clear();
  document.json = {{"schema_version", schema_version},
                   {"command", command},
                   {"command_line", document.command},
                   {"tables", tables},
                   {"notes", document.text_notes()}};
  document.closing = {format("made by: {}", document.command)};
}

Cell dash() { return {"-", ""}; }

Cell count_cell(std::int64_t value) { return {with_thousands(value), std::to_string(value)}; }

Cell si_cell(std::int64_t value, std::string_view unit) {
  return {si(static_cast<double>(value), unit), std::to_string(value)};
}

Cell si_cell(double value, std::string_view unit) { return {si(value, unit), bare(value)}; }

Cell percent_cell(double fraction) {
  return {format("{:.1f} %", fraction * 100.0), bare(fraction)};
}

Cell optional_si_cell(std::optional<double> value, std::string_view unit) {
  return value ? si_cell(*value, unit) : dash();
}

Cell name_cell(const std::string& name) {
  constexpr std::size_t longest = 56;
  if (name.size() <= longest) return {name};
  std::size_t end = longest - 1;
  while (end > 0 && (name[end] & 0xC0) == 0x80) --end;  // not within a letter
  return {name.substr(0, end) + "…", name};
}

}  // namespace rooflab::report
