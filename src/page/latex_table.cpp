// What LaTeX reads of a text is decided by its first 128 characters: each but letters, digits
// and plain signs is written as the command that prints it. Some signs only matter next to others:
// two hyphens would become a dash, `?` and a backquote a sign of Spanish, and an opening bracket
// behind the end of a row an argument.

#include "latex_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/format.hpp"
#include "chart/safe_text.hpp"
#include "chart/text_extent.hpp"
#include "figure_cells.hpp"
#include "text_lines.hpp"
#include "text_table.hpp"

namespace rooflab::page {
namespace {

/// A size of letters, and how many of them 16 cm (455 pt) hold: Computer Modern's digits are half
/// an em wide, as are its small letters in the mean; 8 % are left for capitals and gaps.
struct LetterSize {
  std::string_view command;
  std::size_t letters;
};
constexpr std::array letter_sizes = std::to_array<LetterSize>(
    {{"", 84}, {"\\small", 93}, {"\\footnotesize", 103}, {"\\scriptsize", 116}});
constexpr double em_per_letter = 0.5;
/// Lines of a page in addition to its caption.
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
  const std::vector<char32_t> letters = chart::code_points(chart::safe_text(text));
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (i > 0 && letters[i] == U'-' && letters[i - 1] == U'-') latex += "{}";
    latex += latex_letter(letters[i]);
    const bool is_within = i + 1 < letters.size() && letters[i + 1] != U' ';
    if (breaks && is_within && breaks_behind(letters[i])) latex += "\\allowbreak{}";
  }
  return latex;
}

/// A head as narrow as its column's cells, of as many lines as that takes, and its unit below.
std::vector<std::string> head_lines(const std::string& title, const std::string& unit,
                                    std::size_t width) {
  for (const std::string& word : split(title, ' ')) width = std::max(width, width_of(word));
  std::vector<std::string> lines = wrapped_lines(printable(title), width);
  if (!unit.empty()) lines.push_back(format("({})", unit));
  return lines;
}

class LatexRows {
 public:
  explicit LatexRows(const Table& table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      if (!column.only_in_csv && !column.too_wide) add_column(table, i);
    }
    constexpr std::size_t without_lines = std::string::npos;
    constexpr std::size_t least_text = 20;
    const std::span sizes(letter_sizes);
    if (fits(sizes.first(3), without_lines) || fits(sizes.first(3), least_text)) return;
    if (fits(sizes, without_lines)) return;
    join_names();
    if (!fits(sizes, least_text)) columns_ = fitting_columns(table_, size_.letters);
  }

  [[nodiscard]] std::string_view size_command() const { return size_.command; }

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

  /// The last lines of all heads are next to each other.
  [[nodiscard]] std::string head() const {
    std::size_t height = 1;
    for (const FittingColumn& column : columns_) {
      height = std::max(height, heads_[column.index].size());
    }
    std::string text;
    for (std::size_t n = 0; n < height; ++n) {
      std::vector<std::string> cells;
      for (const FittingColumn& column : columns_) {
        const std::vector<std::string>& lines = heads_[column.index];
        const std::size_t above = height - lines.size();
        cells.push_back(n < above ? "" : latex_of(lines[n - above], false));
      }
      text += line(cells);
    }
    return text;
  }

  [[nodiscard]] std::string rows() const { return lines_of(table_.rows); }
  [[nodiscard]] std::string totals() const { return lines_of(table_.totals); }

  /// What asterisks mean.
  [[nodiscard]] std::string remarks() const {
    std::string text;
    for (std::size_t i = 0; i < remarks_.size(); ++i) {
      text += format("  \\multicolumn{{{}}}{{@{{}}l@{{}}}}{{{} {}}} \\tabularnewline\n",
                     columns_.size(), latex_of(std::string(i + 1, '*'), false),
                     latex_of(remarks_[i], false));
    }
    return text;
  }

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
  /// Takes the first size in which all columns have room, texts in lines of at least that width.
  bool fits(std::span<const LetterSize> sizes, std::size_t least_width) {
    for (const LetterSize& each : sizes) {
      size_ = each;
      columns_ = fitting_columns(table_, each.letters);
      const auto is_good = [&](const FittingColumn& column) {
        return !column.wraps || column.width >= least_width;
      };
      if (columns_.size() == table_.columns.size() && std::ranges::all_of(columns_, is_good)) {
        return true;
      }
    }
    return false;
  }

  /// The columns of names that begin the rows become one: `resnet18, t4, batch 1`.
  void join_names() {
    std::size_t count = 0;
    while (count < table_.columns.size() && table_.columns[count].align == Align::left) ++count;
    if (count < 2 || count == table_.columns.size()) return;
    const auto names = static_cast<std::ptrdiff_t>(count);
    const auto join_cells = [&](std::vector<std::vector<Cell>>& rows) {
      for (std::vector<Cell>& row : rows) {
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < count; ++i) {
          const std::string& text = row[i].text;
          if (text.empty() || text == "-") continue;
          // A bare number says nothing without its column's name.
          const bool is_number = parse_number(text).has_value();
          texts.push_back(is_number ? format("{} {}", table_.columns[i].title, text) : text);
        }
        row.erase(row.begin() + 1, row.begin() + names);
        row.front() = Cell(join(texts, ", "));
      }
    };
    join_cells(table_.rows);
    join_cells(table_.totals);
    table_.columns.erase(table_.columns.begin() + 1, table_.columns.begin() + names);
    table_.columns.front().title = "case";
    heads_.erase(heads_.begin() + 1, heads_.begin() + names);
    heads_.front() = {"case"};
  }

  void add_column(const Table& table, std::size_t index) {
    table_.rows.resize(table.rows.size());
    table_.totals.resize(table.totals.size());
    FigureCells cells = figure_cells(table, index, "\u2013", remarks_);
    std::size_t width = 1;
    const auto add = [&](std::vector<std::string>& texts, auto& rows) {
      for (std::size_t n = 0; n < texts.size(); ++n) {
        width = std::max(width, width_of(printable(texts[n])));
        rows[n].emplace_back(std::move(texts[n]));
      }
    };
    add(cells.rows, table_.rows);
    add(cells.totals, table_.totals);
    heads_.push_back(head_lines(table.columns[index].title, cells.unit, width));
    Column& column = table_.columns.emplace_back(table.columns[index]);
    column.answer = true;  // texts break their lines before a column is left out
    column.title = *std::ranges::max_element(heads_.back(), {}, width_of);
  }

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
      // Rows of several lines stand apart.
      if (!text.empty() && std::ranges::any_of(columns_, &FittingColumn::wraps)) {
        text += "  \\addlinespace[2pt]\n";
      }
      text += line(cells);
    }
    return text;
  }

  Table table_;  ///< the columns that may be shown, with the texts of print
  std::vector<std::vector<std::string>> heads_;
  chart::Names remarks_;
  LetterSize size_;
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
  // A gap is two letters wide, as fitting_columns() counts it.
  text += format("\\begingroup{}\n\\setlength{{\\tabcolsep}}{{0.5em}}\n\\begin{{{}}}{{{}}}\n",
                 rows.size_command(), kind, rows.places());
  const std::string head = format("  \\toprule\n{}  \\midrule\n", rows.head());
  if (result.is_long) {
    text += "  \\ifdefined\\rooflabcaption\\rooflabcaption\\tabularnewline\\fi\n";
    text += head + "  \\endfirsthead\n" + head + "  \\endhead\n";
  } else {
    text += head;
  }
  text += rows.rows();
  if (!table.totals.empty()) text += "  \\midrule\n" + rows.totals();
  text += format("  \\bottomrule\n{}\\end{{{}}}\n\\endgroup\n", rows.remarks(), kind);
  return result;
}

}  // namespace rooflab::page
