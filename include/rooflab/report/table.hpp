#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::report {

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
  bool cut = false;          ///< names of kernels: text and Markdown show their beginnings
};

struct Table {
  std::string title;  ///< may be empty
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::vector<Cell>> totals;  ///< below a rule; not in CSV
};

// Cells of common kinds; what is absent is a dash, and nothing in CSV.
[[nodiscard]] Cell dash();
[[nodiscard]] Cell count_cell(std::int64_t value);                      ///< 12,345
[[nodiscard]] Cell si_cell(std::int64_t value, std::string_view unit);  ///< 1.82 G
[[nodiscard]] Cell si_cell(double value, std::string_view unit);
[[nodiscard]] Cell percent_cell(double fraction);
[[nodiscard]] Cell optional_si_cell(std::optional<double> value, std::string_view unit);
/// Names of kernels and operators run to thousands of letters; their beginnings tell them apart for
/// people, CSV has all of it.
[[nodiscard]] Cell name_cell(const std::string& name);

}  // namespace rooflab::report
