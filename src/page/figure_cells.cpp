#include "figure_cells.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/format.hpp"
#include "base/si_prefix.hpp"
#include "unit_column.hpp"

namespace rooflab::page {
namespace {

/// `46.02 ms`
struct WrittenFigure {
  std::string number;
  double value = 0.0;  ///< in the unit without a prefix
  std::string symbol;  ///< unit with its prefix
  std::string unit;    ///< without it
  bool has_prefix = false;
};

/// A cell's text in its parts.
struct WrittenCell {
  WrittenFigure figure;
  std::optional<WrittenFigure> low;
  std::optional<WrittenFigure> high;
  std::string rest;  ///< `, does not fit`
};

std::optional<double> number_of(std::string text) {
  std::erase(text, ',');
  return parse_number(text);
}

/// `is_one`: whether a prefix is the right one for a number.
template <class Test>
std::optional<WrittenFigure> written_figure(std::string_view text, Test is_one) {
  const std::size_t blank = text.find(' ');
  if (blank == text.npos) return std::nullopt;
  WrittenFigure figure;
  figure.number = text.substr(0, blank);
  const std::optional<double> number = number_of(figure.number);
  const std::string_view symbol = text.substr(blank + 1);
  if (!number || symbol.find(' ') != symbol.npos) return std::nullopt;
  figure.symbol = symbol;
  for (const SiPrefix& prefix : si_prefixes) {
    if (!symbol.starts_with(prefix.symbol)) continue;
    figure.value = *number * prefix.factor;
    figure.unit = symbol.substr(prefix.symbol.size());
    figure.has_prefix = !prefix.symbol.empty();
    if (is_one(figure)) return figure;
  }
  return std::nullopt;
}

/// An end of an interval as the figure's text would have it: some units take no prefix.
WrittenFigure end_of(double value, const WrittenFigure& figure) {
  const bool takes_prefix =
      si(figure.value, figure.unit) == format("{} {}", figure.number, figure.symbol);
  if (!takes_prefix) {
    std::string number =
        std::abs(value) < 1000.0 ? format("{:.4g}", value) : with_thousands(std::llround(value));
    return {.number = std::move(number), .value = value, .symbol = figure.symbol};
  }
  const std::string text = si(value, figure.unit);
  const std::size_t blank = text.find(' ');
  return {.number = text.substr(0, blank), .value = value, .symbol = text.substr(blank + 1)};
}

/// The figure in its text, up to the interval and remarks behind it.
std::string_view figure_text(const Cell& cell) {
  std::string_view text = cell.text;
  text = text.substr(0, text.find(", "));
  if (!cell.interval) return text;
  return text.substr(0, std::min(text.find(" ("), text.find(" \u00b1")));
}

/// The bare figure has all its digits, the text four.
std::optional<WrittenCell> written_cell(const Cell& cell) {
  constexpr double rounding = 0.006;
  const std::optional<double> raw = parse_number(cell.raw);
  if (!raw || !std::isfinite(*raw)) return std::nullopt;
  const auto figure = written_figure(figure_text(cell), [&](const WrittenFigure& each) {
    return std::abs(each.value - *raw) <= rounding * std::abs(*raw);
  });
  if (!figure) return std::nullopt;
  WrittenCell written;
  written.figure = *figure;
  written.figure.value = *raw;
  if (cell.interval) {
    written.low = end_of(cell.interval->low, written.figure);
    written.high = end_of(cell.interval->high, written.figure);
  }
  const std::size_t remark = cell.text.find(", ");
  if (remark != cell.text.npos) written.rest = cell.text.substr(remark);
  return written;
}

bool is_absent(const Cell& cell) {
  return cell.raw.empty() && (cell.text == "-" || cell.text.empty());
}

std::string mark_of(std::string_view rest, chart::Names& remarks) {
  while (rest.starts_with(',') || rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.empty()) return {};
  const std::string remark(rest);
  chart::add_name(remarks, remark);
  const auto place = std::ranges::find(remarks, remark) - remarks.begin();
  return std::string(static_cast<std::size_t>(place) + 1, '*');
}

}  // namespace

FigureCells figure_cells(const Table& table, std::size_t column, std::string_view dash,
                         chart::Names& remarks) {
  FigureCells cells;
  std::vector<std::optional<WrittenCell>> all;
  std::vector<double> sizes;
  std::string unit;
  bool same = true;
  bool any_prefix = false;
  for (const auto* rows : {&table.rows, &table.totals}) {
    for (const std::vector<Cell>& row : *rows) {
      const std::optional<WrittenCell>& written = all.emplace_back(written_cell(row[column]));
      if (is_absent(row[column])) continue;
      same = same && written && (unit.empty() || unit == written->figure.unit) &&
             !written->figure.unit.empty();
      if (!same) continue;
      unit = written->figure.unit;
      any_prefix = any_prefix || written->figure.has_prefix;
      if (written->figure.value != 0.0) sizes.push_back(std::abs(written->figure.value));
    }
  }
  same = same && !unit.empty();
  const std::optional<UnitColumn> in_one_unit =
      same && any_prefix ? UnitColumn::of(sizes, unit) : std::nullopt;
  same = same && (!any_prefix || in_one_unit);
  if (same) cells.unit = in_one_unit ? in_one_unit->unit() : unit;
  const auto number = [&](const WrittenFigure& figure) {
    return in_one_unit ? in_one_unit->text(figure.value) : figure.number;
  };
  std::size_t next = 0;
  const auto write = [&](const auto& rows, std::vector<std::string>& into) {
    for (const std::vector<Cell>& row : rows) {
      const std::optional<WrittenCell>& written = all[next++];
      if (!written) {
        into.push_back(row[column].text);
        continue;
      }
      // In several units each figure has its own; the ends of an interval have that of the figure.
      const WrittenFigure& figure = written->figure;
      const bool is_alike = written->low && written->low->symbol == figure.symbol &&
                            written->high->symbol == figure.symbol;
      if (!same && written->low && !is_alike) {
        into.push_back(row[column].text);
        continue;
      }
      std::string text = same ? number(figure) : format("{} {}", figure.number, figure.symbol);
      if (written->low) {
        text += format(" ({}{}{})", number(*written->low), dash, number(*written->high));
      }
      into.push_back(text + mark_of(written->rest, remarks));
    }
  };
  write(table.rows, cells.rows);
  write(table.totals, cells.totals);
  return cells;
}

}  // namespace rooflab::page
