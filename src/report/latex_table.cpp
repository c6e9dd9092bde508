// What LaTeX reads of a text is decided by its first 128 characters: each that is no letter, digit
// or plain sign is written as the command that prints it. Some signs only matter beside others:
// two hyphens would become a dash, `?` and a backquote a sign of Spanish, and an opening bracket
// behind the end of a row an argument.

#include "latex_table.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "chart/safe_text.hpp"
#include "chart/text_extent.hpp"
#include "rooflab/base/text.hpp"
#include "text_lines.hpp"
#include "text_table.hpp"
#include "unit_column.hpp"

namespace rooflab::report {
namespace {

/// Letters of 10 pt that 16 cm hold: Computer Modern's digits are half an em, 5 pt, wide, as are
/// its small letters in the mean; what is free beyond is for capitals and wide gaps.
constexpr std::size_t letters_of_page = 84;
constexpr double em_per_letter = 0.5;
/// Lines of a page beside its caption.
constexpr std::size_t lines_of_page = 40;

struct Written {
  char32_t letter;
  std::string_view latex;
};
constexpr std::array written = std::to_array<Written>({
    {U'\\', "\\textbackslash{}"},
    {U'{', "\\{"},
    {U'}', "\\}"},
    {U'_', "\\_"},
    {U'%', "\\%"},
    {U'&', "\\&"},
    {U'#', "\\#"},
    {U'$', "\\$"},
    {U'~', "\\textasciitilde{}"},
    {U'^', "\\textasciicircum{}"},
    {U'<', "\\textless{}"},
    {U'>', "\\textgreater{}"},
    {U'|', "\\textbar{}"},
    {U'"', "{''}"},
    {U'\'', "{'}"},
    {U'`', "\\textasciigrave{}"},
    {U'[', "{[}"},
    {U']', "{]}"},
    {U'*', "{*}"},
    {U'-', "-{}"},
    {U'\u00a0', "~"},
    {U'\u00b0', "\\textdegree{}"},
    {U'\u00b1', "\\ensuremath{\\pm}"},
    {U'\u00b2', "\\ensuremath{^2}"},
    {U'\u00b3', "\\ensuremath{^3}"},
    {U'\u00b5', "\\ensuremath{\\mu}"},
    {U'\u00b7', "\\ensuremath{\\cdot}"},
    {U'\u00d7', "\\ensuremath{\\times}"},
    {U'\u00f7', "\\ensuremath{\\div}"},
    {U'\u03bc', "\\ensuremath{\\mu}"},
    {U'\u2013', "--"},
    {U'\u2014', "---"},
    {U'\u2018', "`"},
    {U'\u2019', "'"},
    {U'\u201c', "``"},
    {U'\u201d', "''"},
    {U'\u2026', "\\ldots{}"},
    {U'\u2192', "\\ensuremath{\\rightarrow}"},
    {U'\u2248', "\\ensuremath{\\approx}"},
    {U'\u2264', "\\ensuremath{\\leq}"},
    {U'\u2265', "\\ensuremath{\\geq}"},
});

/// Letters with accents that every encoding of LaTeX's fonts can make.
bool is_accented(char32_t letter) {
  constexpr std::array<char32_t, 4> missing = {0xD0, 0xDE, 0xF0, 0xFE};
  return letter >= 0xC0 && letter <= 0xFF && std::ranges::find(missing, letter) == missing.end();
}

std::string latex_letter(char32_t letter) {
  const auto found = std::ranges::find(written, letter, &Written::letter);
  if (found != written.end()) return std::string(found->latex);
  if (letter < 0x80 || is_accented(letter)) {
    std::string text;
    chart::append_utf8(text, letter);
    return text;
  }
  return format("{{[}}U+{:04X}{{]}}", static_cast<unsigned>(letter));
}

/// A long word may break behind these.
bool breaks_behind(char32_t letter) {
  constexpr std::u32string_view signs = U"/_,=(.:";
  return signs.find(letter) != signs.npos;
}

std::string latex_of(std::string_view text, bool breaks) {
  std::string latex;
  for (const char32_t letter : chart::code_points(chart::safe_text(text))) {
    latex += latex_letter(letter);
    if (breaks && breaks_behind(letter)) latex += "\\allowbreak{}";
  }
  return latex;
}

/// The table with one unit a column in the heads, long names shortened, without what only CSV has.
Table shown_table(const Table& table) {
  Table shown;
  shown.rows.resize(table.rows.size());
  shown.totals.resize(table.totals.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.only_in_csv) continue;
    const std::optional<UnitColumn> unit = UnitColumn::of(table, i);
    shown.columns.push_back(column);
    if (unit) shown.columns.back().title = unit->title(column.title);
    const auto take = [&](const auto& rows, auto& into) {
      for (std::size_t n = 0; n < rows.size(); ++n) {
        into[n].emplace_back(unit ? unit->text(rows[n][i]) : rows[n][i].text);
      }
    };
    take(table.rows, shown.rows);
    take(table.totals, shown.totals);
  }
  return shown;
}

class LatexRows {
 public:
  explicit LatexRows(const Table& table)
      : table_(shown_table(table)), columns_(fitting_columns(table_, letters_of_page)) {}

  /// `@{}lrp{12em}@{}`
  [[nodiscard]] std::string places() const {
    std::string places = "@{}";
    for (const FittingColumn& column : columns_) {
      if (column.wraps) {
        places += format("p{{{:.1f}em}}", em_per_letter * static_cast<double>(column.width));
      } else {
        places += table_.columns[column.index].align == Align::left ? "l" : "r";
      }
    }
    return places + "@{}";
  }

  [[nodiscard]] std::string head() const {
    std::vector<std::string> cells;
    for (const FittingColumn& column : columns_) {
      cells.push_back(cell(table_.columns[column.index].title, column));
    }
    return line(cells);
  }

  [[nodiscard]] std::string rows() const { return lines_of(table_.rows); }
  [[nodiscard]] std::string totals() const { return lines_of(table_.totals); }

  /// Lines of print.
  [[nodiscard]] std::size_t height() const {
    std::size_t height = 0;
    for (const auto* rows : {&table_.rows, &table_.totals}) {
      for (const std::vector<Cell>& row : *rows) {
        std::size_t lines = 1;
        for (const FittingColumn& column : columns_) {
          if (!column.wraps) continue;
          lines = std::max(lines, wrapped_lines(row[column.index].text, column.width).size());
        }
        height += lines;
      }
    }
    return height;
  }

 private:
  static std::string line(const std::vector<std::string>& cells) {
    return format("  {} \\tabularnewline\n", join(cells, " & "));
  }

  static std::string cell(const std::string& text, const FittingColumn& column) {
    if (column.wraps) return "\\raggedright " + latex_of(text, true);
    if (text == "-") return "--";
    return latex_of(chart::elide_middle_to_columns(text, static_cast<int>(column.width)), false);
  }

  [[nodiscard]] std::string lines_of(const std::vector<std::vector<Cell>>& rows) const {
    std::string text;
    for (const std::vector<Cell>& row : rows) {
      std::vector<std::string> cells;
      for (const FittingColumn& column : columns_) {
        cells.push_back(cell(row[column.index].text, column));
      }
      text += line(cells);
    }
    return text;
  }

  Table table_;
  std::vector<FittingColumn> columns_;
};

}  // namespace

std::string latex_text(std::string_view text) { return latex_of(text, false); }

LatexTable latex_table(const Table& table, const std::vector<std::string>& comments) {
  const LatexRows rows(table);
  LatexTable result;
  result.is_long = rows.height() > lines_of_page;
  const std::string_view kind = result.is_long ? "longtable" : "tabular";
  std::string& text = result.text;
  // A comment ends with its line; safe_text() leaves one.
  for (const std::string& comment : comments) {
    text += format("% {}\n", chart::safe_text(comment));
  }
  text += format("% needs \\usepackage{{booktabs{}}}\n", result.is_long ? ",longtable" : "");
  text += format("\\begin{{{}}}{{{}}}\n", kind, rows.places());
  const std::string head = format("  \\toprule\n{}  \\midrule\n", rows.head());
  if (result.is_long) {
    text += "  \\ifdefined\\rooflabcaption\\rooflabcaption\\tabularnewline\\fi\n";
    text += head + "  \\endfirsthead\n" + head + "  \\endhead\n";
  } else {
    text += head;
  }
  text += rows.rows();
  if (!table.totals.empty()) text += "  \\midrule\n" + rows.totals();
  text += format("  \\bottomrule\n\\end{{{}}}\n", kind);
  return result;
}

}  // namespace rooflab::report
