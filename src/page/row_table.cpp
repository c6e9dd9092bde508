#include "row_table.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/format.hpp"

namespace rooflab::page {
namespace {

std::string raw_of(const Json& number) {
  return number.is_number_integer() ? number.dump() : format("{}", number.get<double>());
}

std::string text_of_number(const Figure& figure, double value) {
  switch (figure.unit()) {
    case Unit::flop:  // the head says the unit
      return si(value, "");
    case Unit::flop_per_byte:
    case Unit::sample_per_second:
      return plain_number(value);
    case Unit::share:
      if (figure.style != NumberStyle::count) return text_of(figure, value);
      return format("{:.1f} %", value * 100.0);
    default:
      return text_of(figure, value);
  }
}

void add_facts(Table& table, const Json& object, const std::string& before) {
  for (const auto& [key, value] : object.items()) {
    const Figure* const figure = find_figure(key);
    const std::string what = before + (figure ? std::string(figure->title) : key);
    if (value.is_object()) {
      add_facts(table, value, what + ": ");
      continue;
    }
    Cell cell = figure ? cell_of(*figure, value) : Cell(value.text());
    if (!cell.raw.empty()) table.rows.push_back({what, std::move(cell)});
  }
}

}  // namespace

Cell cell_of(const Figure& figure, const Json& value) {
  if (value.is_null()) return dash();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.text();
  if (value.is_number()) {
    return {text_of_number(figure, value.get<double>()), raw_of(value)};
  }
  // Counts are extents: `4x1x1`.
  const bool extents =
      figure.unit() == Unit::none &&
      std::ranges::all_of(value, [](const Json& each) { return each.is_number(); });
  std::vector<std::string> parts;
  for (const Json& each : value) {
    const Cell cell = cell_of(figure, each);
    parts.push_back(extents ? cell.raw : cell.text);
  }
  return parts.empty() ? dash() : Cell(join(parts, extents ? "x" : ", "));
}

namespace {

/// `least`: the lower bounds of the values, where the column has one.
Column* add_values(Table& table, const Figure& figure, Shown shown, std::string_view title,
                   const ValueOf& value_of, const ValueOf& least) {
  Column column{std::string(figure.key), std::string(title.empty() ? figure.title : title)};
  column.answer = figure.answer;
  column.about = figure.meaning;
  std::vector<Cell> cells;
  bool bounded_below = false;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Json value = value_of(i);
    if (value.is_string() || value.is_array()) column.align = Align::left;
    cells.push_back(cell_of(figure, value));
    if (!least || !cells.back().raw.empty()) continue;
    const Json bound = least(i);
    if (bound.is_null()) continue;
    bounded_below = true;
    cells.back().text = format(">= {}", text_of_number(figure, bound.get<double>()));
  }
  const bool known = bounded_below ||
                     std::ranges::any_of(cells, [](const Cell& cell) { return !cell.raw.empty(); });
  if (shown == Shown::where_known && !known) return nullptr;
  const bool optional = shown == Shown::known || shown == Shown::beside_text;
  column.only_in_csv = shown == Shown::csv || (optional && !known);
  column.too_wide = shown == Shown::beside_text || shown == Shown::where_known;
  table.columns.push_back(std::move(column));
  for (std::size_t i = 0; i < cells.size(); ++i) table.rows[i].push_back(std::move(cells[i]));
  return &table.columns.back();
}

}  // namespace

FieldPath path_to(std::span<const Field> fields, const std::string& name) {
  std::vector<FieldPath> found = paths_to(fields, name);
  if (found.size() == 1) return std::move(found.front());
  throw std::logic_error(
      found.empty() ? format("no row has the column '{}'", name)
                    : format("{} members of a row have the column '{}': inside() says which",
                             found.size(), name));
}

Table table_of(std::size_t rows, std::span<const FigureColumn> columns, const ValuesOf& values) {
  Table table;
  table.rows.resize(rows);
  const auto named = [](const FigureColumn& column, FigureKey key) {
    return column.member.empty() ? std::string(key.key())
                                 : format("{}.{}", column.member, key.key());
  };
  for (const FigureColumn& each : columns) {
    Column* const column = add_values(table, each.figure.figure(), each.shown, each.title,
                                      values(named(each, each.figure)),
                                      each.least ? values(named(each, *each.least)) : ValueOf());
    if (column == nullptr) continue;
    column->cut = each.cut;
    column->shrinks = each.shrinks;
    column->joined = each.joined;
    column->bar = each.bar;
  }
  return table;
}

Table facts_table(const Json& object) {
  Table table;
  table.columns = {{"what", "what", Align::left}, {"value", "value", Align::left}};
  table.columns.back().shrinks = true;
  add_facts(table, object, "");
  return table;
}

void add_filled(std::vector<Table>& tables, Table table) {
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

Cell& cell_at(Table& table, std::size_t row, FigureKey figure) {
  const auto column = std::ranges::find(table.columns, figure.key(), &Column::key);
  return table.rows[row][static_cast<std::size_t>(column - table.columns.begin())];
}

void move_constants_to_title(Table& table, std::initializer_list<std::string_view> keys) {
  if (table.rows.empty()) return;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    Column& column = table.columns[i];
    if (std::ranges::find(keys, column.key) == keys.end()) continue;
    const Cell& first = table.rows.front()[i];
    if (column.only_in_csv) continue;
    column.only_in_csv = std::ranges::all_of(
        table.rows, [&](const std::vector<Cell>& row) { return row[i].raw == first.raw; });
    if (!column.only_in_csv || first.raw.empty()) continue;
    if (!table.title.empty()) table.title += ", ";
    const bool named = column.key == "batch" || column.key == "context" || column.key == "link";
    const bool carried = column.key == "predicted_from";
    table.title += (named ? column.title + " " : carried ? "carried over from " : "") + first.text;
    if (column.key == "scaling") table.title += " scaling";
  }
}

}  // namespace rooflab::page
