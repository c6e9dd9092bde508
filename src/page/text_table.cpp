#include "text_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "chart/safe_text.hpp"
#include "chart/text_extent.hpp"
#include "chart/tone.hpp"
#include "text_lines.hpp"

namespace rooflab::page {
namespace {

constexpr std::size_t gap = 2;            ///< blanks between columns
constexpr std::size_t least_name = 24;    ///< a column of long names has it
constexpr std::size_t least_text = 12;    ///< another column of texts has it
constexpr std::size_t least_detail = 16;  ///< the last columns of a list have it

/// Words, which may go on in a further line.
bool is_text(const Column& column) {
  return !column.cut && !column.shrinks && column.align == Align::left;
}

/// The columns of a table that text shows, and how wide each is.
class TextColumns {
 public:
  TextColumns(const Table& table, const TextStyle& style) : columns_(table.columns) {
    for (const Column& column : columns_) widths_.push_back(width_of(printable(column.title)));
    for (const auto* rows : {&table.rows, &table.totals}) {
      for (const std::vector<Cell>& row : *rows) widen_for(row);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].only_in_csv) continue;
      if (columns_[i].too_wide && !style.all_columns) {
        hidden_.push_back(i);
      } else {
        shown_.push_back(i);
      }
    }
    if (style.all_columns || table.is_list) return;
    for (const std::size_t i : shown_) {
      if (columns_[i].cut) widths_[i] = std::min<std::size_t>(widths_[i], longest_name);
    }
    natural_ = widths_;
    if (style.width > 0) fit(style.width);
  }

  [[nodiscard]] const std::vector<std::size_t>& shown() const { return shown_; }
  [[nodiscard]] std::size_t width(std::size_t column) const { return widths_[column]; }
  [[nodiscard]] bool is_narrowed(std::size_t column) const {
    return !natural_.empty() && widths_[column] < natural_[column];
  }
  [[nodiscard]] std::size_t total() const {
    std::size_t sum = 0;
    for (const std::size_t i : shown_) sum += widths_[i] + gap;
    return sum < gap ? 0 : sum - gap;
  }
  /// The titles of what a terminal has no room for; empty where it has all that text shows.
  [[nodiscard]] std::vector<std::string> left_out() const {
    std::vector<std::string> titles;
    if (!narrowed_) return titles;
    std::vector<std::size_t> all = hidden_;
    std::ranges::sort(all);
    for (const std::size_t i : all) titles.push_back(printable(columns_[i].title));
    return titles;
  }

 private:
  void widen_for(const std::vector<Cell>& row) {
    ROOFLAB_ASSERT(row.size() == widths_.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths_[i] = std::max(widths_[i], width_of(printable(row[i].text)));
    }
  }

  void fit(std::size_t width) {
    const auto names = [](const Column& column) { return column.cut || column.shrinks; };
    const auto texts = is_text;
    narrow(width, least_name, names);
    while (total() > width && leave_out(false)) narrow(width, least_name, names);
    narrow(width, least_text, texts);
    while (total() > width && leave_out(true)) {
    }
    narrow(width, 1, names);
    narrow(width, 1, texts);
  }

  /// Takes what is too much from the columns of a kind, from the widest first.
  template <class Kind>
  void narrow(std::size_t width, std::size_t least, Kind is_of_kind) {
    for (const std::size_t i : shown_) {
      if (is_of_kind(columns_[i])) widths_[i] = natural_[i];
    }
    while (total() > width) {
      std::size_t* widest = nullptr;
      for (const std::size_t i : shown_) {
        if (!is_of_kind(columns_[i]) || widths_[i] <= least) continue;
        if (widest == nullptr || widths_[i] > *widest) widest = &widths_[i];
      }
      if (widest == nullptr) return;
      --*widest;
    }
  }

  /// The last column that may go, with those that say nothing without it.
  bool leave_out(bool answers_too) {
    for (std::size_t at = shown_.size(); at-- > 1;) {
      if (columns_[shown_[at]].answer && !answers_too) continue;
      std::size_t first = at;
      while (first > 1 && columns_[shown_[first]].joined) --first;
      const auto begin = shown_.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = shown_.begin() + static_cast<std::ptrdiff_t>(at) + 1;
      hidden_.insert(hidden_.end(), begin, end);
      shown_.erase(begin, end);
      narrowed_ = true;
      return true;
    }
    return false;
  }

  const std::vector<Column>& columns_;
  std::vector<std::size_t> widths_;
  std::vector<std::size_t> natural_;
  std::vector<std::size_t> shown_;
  std::vector<std::size_t> hidden_;
  bool narrowed_ = false;
};

std::string padded(const std::string& text, std::size_t width, Align align, chart::Tone tone) {
  const std::size_t used = width_of(text);
  const std::string blanks(width > used ? width - used : 0, ' ');
  return align == Align::left ? chart::colored(tone, text) + blanks
                              : blanks + chart::colored(tone, text);
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// A row in as many lines as its longest text needs.
std::string text_line(const Table& table, const TextColumns& columns, const std::vector<Cell>& row,
                      bool color) {
  std::vector<std::vector<std::string>> cells;
  std::size_t lines = 1;
  for (const std::size_t i : columns.shown()) {
    const std::string text = printable(row[i].text);
    const std::size_t width = columns.width(i);
    if (is_text(table.columns[i]) && width_of(text) > width) {
      cells.push_back(wrapped_lines(text, width));
    } else {
      cells.push_back({chart::elide_middle_to_columns(text, static_cast<int>(width))});
    }
    lines = std::max(lines, cells.back().size());
  }
  std::string all;
  for (std::size_t n = 0; n < lines; ++n) {
    std::string line;
    for (std::size_t at = 0; at < cells.size(); ++at) {
      const std::size_t i = columns.shown()[at];
      if (at > 0) line += std::string(gap, ' ');
      line +=
          padded(n < cells[at].size() ? cells[at][n] : "", columns.width(i), table.columns[i].align,
                 color ? chart::tone_of_cell(row[i].text) : chart::Tone::none);
    }
    all += without_trailing_blanks(std::move(line)) + "\n";
  }
  return all;
}

/// `4 more columns (low, high, bound, batch): --wide`; without the names where these are long.
std::string left_out_line(const std::vector<std::string>& titles, const TextStyle& style) {
  if (titles.empty()) return {};
  const std::string more = plural(titles.size(), "more column");
  std::string line = format("{} ({}): --wide", more, join(titles, ", "));
  if (width_of(line) > style.width) line = more + ": --wide";
  return (style.color ? chart::dimmed(line) : line) + "\n";
}

/// One entry of a list: its first columns, then its last two behind each other, in a line that is
/// too short below each other.
std::string list_entry(const Table& table, const TextColumns& columns, std::size_t beside,
                       const std::vector<Cell>& row, const TextStyle& style) {
  const std::vector<std::size_t>& shown = columns.shown();
  std::string head;
  for (std::size_t n = 0; n + 2 < shown.size(); ++n) {
    const Cell& cell = row[shown[n]];
    head += padded(printable(cell.text), columns.width(shown[n]), table.columns[shown[n]].align,
                   style.color ? chart::tone_of_cell(cell.text) : chart::Tone::none) +
            std::string(gap, ' ');
  }
  std::size_t indent = 0;
  for (std::size_t n = 0; n + 2 < shown.size(); ++n) indent += columns.width(shown[n]) + gap;
  const std::string value = printable(row[shown[shown.size() - 2]].text);
  const std::string remark = printable(row[shown.back()].text);
  const std::size_t room =
      style.width == 0 ? 0 : std::max(least_detail, style.width - std::min(style.width, indent));
  std::vector<std::string> lines;
  if (!remark.empty() && (room == 0 || beside + gap + width_of(remark) <= room)) {
    lines = {padded(value, beside, Align::left, chart::Tone::none) + std::string(gap, ' ') +
             remark};
  } else {
    lines = wrapped_lines(value, room);
    std::ranges::move(wrapped_lines(remark, room), std::back_inserter(lines));
  }
  std::string text;
  for (const std::string& line : lines) {
    text += without_trailing_blanks((text.empty() ? head : std::string(indent, ' ')) + line) + "\n";
  }
  return text;
}

std::string text_list(const Table& table, const TextColumns& columns, const TextStyle& style) {
  const std::vector<std::size_t>& shown = columns.shown();
  ROOFLAB_ASSERT(shown.size() >= 2);
  std::size_t beside = 0;  // the widest value that a remark follows
  for (const std::vector<Cell>& row : table.rows) {
    if (row[shown.back()].text.empty()) continue;
    beside = std::max(beside, width_of(printable(row[shown[shown.size() - 2]].text)));
  }
  std::string text;
  for (const std::vector<Cell>& row : table.rows) {
    text += list_entry(table, columns, beside, row, style);
  }
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
  return plain ? std::string(text) : chart::safe_text(text);
}

std::size_t width_of(std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
  return plain ? text.size() : static_cast<std::size_t>(chart::column_count(text));
}

Table first_rows_of(Table table, std::size_t most_rows) {
  if (most_rows > 0 && table.rows.size() > most_rows) {
    table.title += format(" (the first {} of {})", most_rows, table.rows.size());
    table.rows.resize(most_rows);
  }
  return table;
}

std::vector<FittingColumn> fitting_columns(const Table& table, std::size_t width) {
  const TextColumns columns(table, {.width = width});
  std::vector<FittingColumn> fitting;
  for (const std::size_t i : columns.shown()) {
    fitting.push_back({i, columns.width(i), is_text(table.columns[i]) && columns.is_narrowed(i)});
  }
  return fitting;
}

std::string text_table(const Table& table, const TextStyle& style) {
  const TextColumns columns(table, style);
  std::string text;
  for (const std::string& line : wrapped_lines(printable(table.title), style.width)) {
    text += line + "\n";
  }
  if (table.is_list) return text + text_list(table, columns, style);
  std::vector<Cell> header;
  for (const Column& column : table.columns) header.emplace_back(column.title);
  std::string titles = text_line(table, columns, header, false);
  if (style.color) {
    titles.pop_back();
    titles = chart::bold(titles) + "\n";
  }
  const std::string rule = std::string(columns.total(), '-') + "\n";
  text += titles + rule;
  for (const std::vector<Cell>& row : table.rows) {
    text += text_line(table, columns, row, style.color);
  }
  if (!table.totals.empty()) text += rule;
  for (const std::vector<Cell>& row : table.totals) {
    text += text_line(table, columns, row, style.color);
  }
  return text + left_out_line(columns.left_out(), style);
}

}  // namespace rooflab::page
