#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/json.hpp"

namespace rooflab::report {

/// Of every JSON that the reports write. It grows when a key changes its meaning or goes; new keys
/// do not count as a change.
inline constexpr int schema_version = 1;

/// A cell: scaled for people, and the bare figure in base units for CSV.
struct Cell {
  std::string text;
  std::string raw;

  Cell() = default;
  Cell(std::string both) : text(both), raw(std::move(both)) {}
  Cell(const char* both) : Cell(std::string(both)) {}
  Cell(std::string shown, std::string figure) : text(std::move(shown)), raw(std::move(figure)) {}
};

enum class Align { left, right };

struct Column {
  std::string key;    ///< in CSV, with its unit: `time_s`
  std::string title;  ///< for people
  Align align = Align::right;
  bool only_in_csv = false;  ///< the same in every row: said in the title instead
  bool too_wide = false;     ///< left out of text, which has to fit a terminal; elsewhere it stands
};

struct Table {
  std::string title;  ///< may be empty
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::vector<Cell>> totals;  ///< below a rule; not in CSV
};

/// What a command shows, in every format. CSV is the first table.
struct Document {
  std::string title;
  std::vector<Table> tables;
  std::vector<std::string> notes;  ///< one sentence each
  Json json;
  /// Writes the JSON instead of `json`, where that would be too large to hold.
  std::function<void(std::ostream& stream)> write_json;
  std::vector<std::string> introduction;  ///< paragraphs below the title
};

enum class Format { table, markdown, csv, json, html };
[[nodiscard]] std::optional<Format> format_from_name(std::string_view name);
/// By the file's extension: .md, .csv, .json, .html, .txt.
[[nodiscard]] std::optional<Format> format_from_extension(std::string_view extension);

/// How text goes to a terminal.
struct TextStyle {
  bool color = false;
};

/// Any format but html. The text ends with a newline.
void render(std::ostream& stream, const Document& document, Format format, TextStyle style = {});
[[nodiscard]] std::string render(const Document& document, Format format, TextStyle style = {});

// Cells of common kinds.
[[nodiscard]] Cell count_cell(std::int64_t value);                      ///< 12,345
[[nodiscard]] Cell si_cell(std::int64_t value, std::string_view unit);  ///< 1.82 G
[[nodiscard]] Cell si_cell(double value, std::string_view unit);
[[nodiscard]] Cell percent_cell(double fraction);
/// Empty optional: `-`, and nothing in CSV.
[[nodiscard]] Cell optional_si_cell(std::optional<double> value, std::string_view unit);

}  // namespace rooflab::report
