#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/json.hpp"
#include "rooflab/report/section.hpp"
#include "rooflab/report/table.hpp"

namespace rooflab::report {

/// What a command shows, in every format. CSV is the first table.
struct Document {
  std::string title;
  std::vector<Table> tables;
  std::vector<std::string> notes;  ///< one sentence each
  Json json;
  /// Writes the JSON instead of `json`, where that would be too large to hold.
  std::function<void(std::ostream& stream)> write_json;
  std::vector<std::string> introduction;  ///< paragraphs below the title
  std::string subtitle;                   ///< subtitle of a page
  std::string command;                    ///< the command line that made it
  std::vector<PageCard> cards;            ///< at the top of a page
  std::vector<PageSection> sections;
  std::size_t most_rows = 0;         ///< rows of a table in text, Markdown and CSV; 0: all
  bool names_sections = false;       ///< notes of sections stand in text behind the headings
  std::vector<std::string> closing;  ///< the last notes of text

  /// The tables that text, Markdown and CSV show: `tables`, then those of the sections in text and
  /// of the details in text.
  [[nodiscard]] std::vector<const Table*> text_tables() const;
  /// The notes beside them.
  [[nodiscard]] std::vector<std::string> text_notes() const;
};

enum class Format { table, markdown, csv, json, html };
[[nodiscard]] std::optional<Format> format_from_name(std::string_view name);
/// Format for the file's extension: .md, .csv, .json, .html, .txt.
[[nodiscard]] std::optional<Format> format_from_extension(std::string_view extension);

/// How text goes to a terminal.
struct TextStyle {
  bool color = false;
};

/// Any format but html. The text ends with a newline.
void render(std::ostream& stream, const Document& document, Format format, TextStyle style = {});
[[nodiscard]] std::string render(const Document& document, Format format, TextStyle style = {});

/// Makes text and JSON of a document that was made for a page: tables of all sections, and notes.
/// The JSON is `{schema_version, command, command_line, tables, notes}`, a table being
/// `{title, columns, rows}` with figures in base units.
void show_all_tables(Document& document, std::string_view command);

}  // namespace rooflab::report
