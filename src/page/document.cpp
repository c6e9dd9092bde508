#include "rooflab/page/document.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <utility>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "chart/text_extent.hpp"
#include "csv_table.hpp"
#include "describe/json_fields.hpp"
#include "finding_part.hpp"
#include "notes/known_notes.hpp"
#include "text_page.hpp"
#include "text_table.hpp"

namespace rooflab::page {
namespace {

/// Whether the sign at `at` can be markup: an underscore within a word cannot, so that names are
/// read easily in the source, too.
bool is_markup(std::string_view text, std::size_t at) {
  const auto in_word = [&](std::size_t place) {
    return place < text.size() && (is_letter(text[place]) || is_digit(text[place]));
  };
  switch (text[at]) {
    case '_': {
      const std::size_t before = text.find_last_not_of('_', at);
      return before == text.npos || !in_word(before) || !in_word(text.find_first_not_of('_', at));
    }
    case '&':  // a character reference
      return at + 1 < text.size() && (is_letter(text[at + 1]) || text[at + 1] == '#');
    default:
      return std::string_view("|\\<`*[~").find(text[at]) != std::string_view::npos;
  }
}

/// A text within a line.
std::string escaped_markdown(std::string_view text) {
  const std::string shown = printable(text);
  std::string escaped;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (is_markup(shown, i)) escaped += '\\';
    escaped += shown[i];
  }
  return escaped;
}

/// A text that begins a line, where `#`, `1.` and blanks are markup, too.
std::string markdown_line(std::string_view text) {
  std::string line = escaped_markdown(trim(printable(text)));
  const std::size_t sign = std::min(line.find_first_not_of("0123456789"), line.size());
  const std::string_view rest = std::string_view(line).substr(sign);
  const bool is_sign = !rest.empty() && std::string_view("#>+-=").find(rest[0]) != rest.npos;
  const bool is_number =
      sign > 0 && (rest == "." || rest == ")" || rest.starts_with(". ") || rest.starts_with(") "));
  if (is_number || (sign == 0 && is_sign)) line.insert(sign, "\\");
  return line;
}

/// A heading's text; the signs at its end would be taken for its other half.
std::string markdown_heading(std::string_view text) {
  std::string heading = markdown_line(text);
  if (heading.ends_with('#')) heading.insert(heading.size() - 1, "\\");
  return heading;
}

std::string markdown_table(const Table& table) {
  std::string text = table.title.empty() ? "" : format("### {}\n\n", markdown_heading(table.title));
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
        const Column& column = table.columns[i];
        if (column.only_in_csv) continue;
        const std::string& cell = column.cut ? name_cell(row[i].text).text : row[i].text;
        text += format(" {} |", escaped_markdown(cell));
      }
      text += "\n";
    }
  }
  return text;
}

std::string markdown_section(const PageSection& section, std::size_t most_rows) {
  std::string text;
  if (!section.text.empty()) {
    text += format("\n### {}\n\n{}\n", markdown_heading(section.heading), trim(section.text));
  }
  for (const PagePicture& picture : section.pictures) {
    text += format("\n![{}]({})\n", escaped_markdown(picture.title), picture.file);
  }
  const auto add = [&](const Table& table) {
    text += format("\n{}", markdown_table(first_rows_of(table, most_rows)));
  };
  if (section.in_text) std::ranges::for_each(section.tables, add);
  for (const PageDetail& detail : section.details) {
    if (detail.in_text) add(detail.table);
  }
  return text;
}

std::string render_markdown(const Document& document) {
  std::string text = format("## {}\n", markdown_heading(document.title));
  for (const std::string& paragraph : document.introduction) {
    text += format("\n{}\n", markdown_line(paragraph));
  }
  if (!document.answer.empty()) {
    text += format("\n{}\n", markdown_line(join(document.answer, " ")));
  }
  text += findings_markdown(document, markdown_line);
  for (const Table& table : document.tables) {
    text += format("\n{}", markdown_table(first_rows_of(table, document.most_rows)));
  }
  for (const PageSection& section : document.sections) {
    text += markdown_section(section, document.most_rows);
  }
  const Remarks notes = document.text_notes();
  if (!notes.empty()) text += "\n";
  for (const Remark& note : notes) text += format("- {}\n", markdown_line(note.text));
  for (const CommandBlock& each : document.commands) {
    text += format("\n{}:\n\n    {}\n", markdown_line(each.what), printable(each.command));
  }
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

Remark::Remark(const Note& note) : Remark(remark_on(note.subject, note)) {}

Remark remark_on(const std::string& who, const Note& note) {
  std::string words = notes::words_of(note);
  return {who.empty() ? std::move(words) : format("{}: {}", who, words), notes::rank_of(note)};
}

Remarks remarks_of(const std::vector<Note>& notes, const std::string& before) {
  struct Shared {
    std::string text;
    NoteRank rank;
    std::vector<std::string> subjects;
  };
  std::vector<Shared> all;
  for (const Note& note : notes) {
    const std::string text = notes::words_of(note);
    auto shared = std::ranges::find(all, text, &Shared::text);
    if (shared == all.end()) shared = all.insert(shared, {text, notes::rank_of(note), {}});
    if (note.subject.empty()) continue;
    if (std::ranges::find(shared->subjects, note.subject) == shared->subjects.end()) {
      shared->subjects.push_back(note.subject);
    }
  }
  Remarks remarks;
  for (const auto& [text, rank, subjects] : all) {
    const std::string who = subjects.empty() ? "" : join(subjects, ", ") + ": ";
    remarks.push_back({before + who + text, rank});
  }
  return remarks;
}

void add_once(Remarks& remarks, Remark remark) {
  if (std::ranges::find(remarks, remark) == remarks.end()) remarks.push_back(std::move(remark));
}

Remarks Document::text_notes() const {
  Remarks all = notes;
  for (const PageSection& section : sections) {
    if (!section.in_text || section.captions) continue;
    for (Remark note : section.notes) {
      if (names_sections) note.text = format("{}: {}", section.heading, note.text);
      all.push_back(std::move(note));
    }
  }
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

std::optional<Format> format_from_file(const std::string& file) {
  const std::string name = lowercase(file);
  if (name.ends_with(".trace.json")) return Format::timeline;
  const std::size_t point = name.rfind('.');
  return point == std::string::npos || name.find('/', point) != std::string::npos
             ? std::nullopt
             : format_from_extension(std::string_view(name).substr(point));
}

void render(std::ostream& stream, const Document& document, Format format, TextStyle style) {
  switch (format) {
    case Format::table:
      stream << text_page(document, style);
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
    case Format::timeline:
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
  std::vector<std::string> notes;
  for (const Remark& note : document.text_notes()) notes.push_back(note.text);
  document.json = {{"schema_version", schema_version},
                   {"command", command},
                   {"command_line", document.command},
                   {"tables", tables},
                   {"notes", notes}};
  document.commands = {{"made by", document.command}};
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
  return {chart::elide_middle_to_columns(name, longest_name), name};
}

}  // namespace rooflab::page
