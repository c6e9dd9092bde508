#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/error.hpp"

namespace rooflab {

/// A table of texts under a header, each cell with its place in the user's file.
///
///     const CsvTable table = parse_csv(read_file(path), path);
///     const std::size_t time = *table.column("ms");
///     for (std::size_t row = 0; row < table.rows(); ++row) use(table.cell(row, time));
class CsvTable {
 public:
  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
  [[nodiscard]] std::size_t rows() const { return lines_.size(); }
  /// The column with this name; nullopt if the header lacks it.
  [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;
  /// The text of a cell, valid as long as the table.
  [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const;
  /// Line of the file on which the row begins.
  [[nodiscard]] int line(std::size_t row) const { return lines_[row]; }
  [[nodiscard]] Location place(std::size_t row, std::size_t column) const;
  /// Place at which the header begins.
  [[nodiscard]] Location header_place() const;
  /// An Error (input) at a cell, to be thrown by the caller.
  [[nodiscard]] Error error(std::size_t row, std::size_t column, std::string message,
                            std::string hint = {}) const;

 private:
  friend CsvTable parse_csv(std::string_view text, std::string file);
  struct Cell {
    std::size_t begin = 0;  ///< in contents_
    std::size_t size = 0;
    int column = 0;  ///< column in the file, 1-based
  };

  std::string file_;
  std::string contents_;  ///< text of all cells, without quotes and separators
  std::vector<std::string> header_;
  std::vector<Cell> cells_;  ///< row by row
  std::vector<int> lines_;
};

/// Formats a cell for a table, with quotes where needed. A text that a spreadsheet would run as a
/// formula (it begins with = + - @, also full-width or behind blanks, a tab or a carriage return,
/// and is not a number) gets an apostrophe in front, which spreadsheets read as a mark of a text.
[[nodiscard]] std::string csv_cell(std::string_view text);

/// Reads a table according to RFC 4180: cells separated by commas, cells with commas, quotes or
/// line ends between double quotes, a quote inside written twice. Lines end with LF or CRLF; empty
/// lines are skipped. The apostrophe of csv_cell() is removed. The first line is the header. `file`
/// is only used in locations. Throws Error (input) with file:line:column on a file without header,
/// an empty or repeated name in it, a row whose width differs from the header's, and a quote that
/// is not closed.
[[nodiscard]] CsvTable parse_csv(std::string_view text, std::string file);

}  // namespace rooflab
