#include "csv.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.hpp"

namespace rooflab {
namespace {

/// Signs with which a formula begins, and their full-width forms (OWASP, "CSV Injection").
constexpr std::array<std::string_view, 10> formula_signs = {
    "=", "+", "-", "@", "\t", "\r", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};

/// Apostrophes in front do not count, so that reading takes away what writing added, no more. Nor
/// do blanks: some spreadsheets drop them.
bool begins_like_formula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("' "), text.size()));
  return std::ranges::any_of(formula_signs,
                             [&](std::string_view sign) { return text.starts_with(sign); });
}

/// Cells of one line after another.
class CsvCursor {
 public:
  CsvCursor(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  [[nodiscard]] bool at_end() const { return next_ == text_.size(); }
  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] int column() const { return static_cast<int>(next_ - line_start_) + 1; }

  /// Skips an empty line.
  bool skip_line_end() {
    std::size_t end = next_;
    if (end < text_.size() && text_[end] == '\r') ++end;
    if (end >= text_.size() || text_[end] != '\n') return false;
    next_ = end + 1;
    begin_line();
    return true;
  }

  /// Appends the next cell's content. True: another cell follows in the same row.
  bool read_cell(std::string& content) {
    if (next_ < text_.size() && text_[next_] == '"') {
      read_quoted(content);
    } else {
      const std::size_t end = std::min(text_.find_first_of(",\n", next_), text_.size());
      std::string_view cell = text_.substr(next_, end - next_);
      if (cell.ends_with('\r')) cell.remove_suffix(1);
      content += cell;
      next_ += cell.size();
    }
    if (next_ < text_.size() && text_[next_] == ',') {
      ++next_;
      return true;
    }
    if (at_end() || skip_line_end()) return false;
    throw error("a cell goes on after its closing quote", "a quote inside a cell is written twice");
  }

  [[nodiscard]] Error error(std::string message, std::string hint) const {
    return {ErrorKind::input,
            std::move(message),
            std::move(hint),
            {.file = file_, .line = line_, .column = column(), .byte_offset = {}}};
  }

 private:
  void read_quoted(std::string& content) {
    const Error unclosed = error("this quote is not closed", "a cell ends with a double quote");
    ++next_;
    while (true) {
      if (at_end()) throw Error(unclosed);
      const char c = text_[next_++];
      if (c == '"') {
        if (at_end() || text_[next_] != '"') return;
        ++next_;
      }
      if (c == '\n') begin_line();
      content += c;
    }
  }

  void begin_line() {
    ++line_;
    line_start_ = next_;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t next_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto found = std::ranges::find(header_, name);
  if (found == header_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header_.begin());
}

std::string_view CsvTable::cell(std::size_t row, std::size_t column) const {
  const Cell& cell = cells_[row * header_.size() + column];
  return std::string_view(contents_).substr(cell.begin, cell.size);
}

Location CsvTable::place(std::size_t row, std::size_t column) const {
  return {.file = file_,
          .line = lines_[row],
          .column = cells_[row * header_.size() + column].column,
          .byte_offset = {}};
}

Location CsvTable::header_place() const {
  return {.file = file_, .line = 1, .column = 1, .byte_offset = {}};
}

Error CsvTable::error(std::size_t row, std::size_t column, std::string message,
                      std::string hint) const {
  return {ErrorKind::input, std::move(message), std::move(hint), place(row, column)};
}

std::string csv_cell(std::string_view text) {
  std::string cell;
  if (begins_like_formula(text) && !parse_number(text)) cell = '\'';
  cell += text;
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

CsvTable parse_csv(std::string_view text, std::string file) {
  CsvTable table;
  table.file_ = std::move(file);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  CsvCursor cursor(text, table.file_);
  table.contents_.reserve(text.size());
  while (true) {
    while (cursor.skip_line_end()) {
    }
    if (cursor.at_end()) break;
    const int line = cursor.line();
    const int start = cursor.column();
    const auto fail = [&table](int at_line, int at_column, std::string message, std::string hint) {
      throw Error(ErrorKind::input, std::move(message), std::move(hint),
                  {.file = table.file_, .line = at_line, .column = at_column, .byte_offset = {}});
    };
    const bool head = table.header_.empty();
    std::size_t width = 0;
    for (bool more = true; more; ++width) {
      const int cell_line = cursor.line();
      const int cell_column = cursor.column();
      const std::size_t begin = table.contents_.size();
      more = cursor.read_cell(table.contents_);
      if (table.contents_.size() > begin && table.contents_[begin] == '\'' &&
          begins_like_formula(std::string_view(table.contents_).substr(begin))) {
        table.contents_.erase(begin, 1);
      }
      const std::size_t size = table.contents_.size() - begin;
      if (!head) {
        table.cells_.push_back({begin, size, cell_column});
        continue;
      }
      const std::string name(trim(std::string_view(table.contents_).substr(begin, size)));
      if (name.empty()) {
        fail(cell_line, cell_column, "a column has no name", "the first line names the columns");
      }
      if (table.column(name)) {
        fail(cell_line, cell_column, format("a second column with the name '{}'", name),
             "remove or rename one of them");
      }
      table.header_.push_back(name);
    }
    if (head) continue;
    if (width != table.header_.size()) {
      fail(line, start,
           format("this row has {} cells, the header names {}", width, table.header_.size()),
           format("the columns are {}", join(table.header_, ", ")));
    }
    table.lines_.push_back(line);
  }
  if (table.header_.empty()) {
    throw Error(ErrorKind::input, "the table is empty: it has no header",
                "the first line names the columns", table.header_place());
  }
  return table;
}

}  // namespace rooflab
