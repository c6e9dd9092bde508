#pragma once

#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "describe/fields.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/describe/figure_key.hpp"
#include "rooflab/page/document.hpp"

/// Tables of described values: a column is a word of the vocabulary.
namespace rooflab::page {

/// Formats in which a column is shown.
enum class Shown : std::uint8_t {
  always,
  known,        ///< only in CSV where no row has the figure
  beside_text,  ///< like `known`, and not in text, which must fit a terminal
  where_known,  ///< nowhere if no row has the figure; not in text
  csv,          ///< only in CSV
};

/// A column: a figure, and the table's own settings for it.
struct FigureColumn {
  FigureKey figure;
  Shown shown = Shown::always;
  std::string_view title = {};  ///< replaces the title of the vocabulary
  bool cut = false;             ///< see Column
  bool shrinks = false;         ///< see Column
  bool joined = false;          ///< see Column
  bool bar = false;             ///< see Column
  /// A lower bound that people see where the figure is not known.
  std::optional<FigureKey> least = {};
  /// Path of the member that has the figure, if several members have one: `panes.ours`.
  std::string_view member = {};
};

/// A column of a figure in one member, if several members of the row have it: `panes.ours`.
[[nodiscard]] constexpr FigureColumn inside(std::string_view member, FigureColumn column) {
  column.member = member;
  return column;
}
[[nodiscard]] consteval FigureColumn inside(std::string_view member, FigureKey figure) {
  return inside(member, FigureColumn{figure});
}

[[nodiscard]] consteval FigureColumn titled(FigureKey figure, std::string_view title) {
  return {figure, Shown::always, title};
}
[[nodiscard]] consteval FigureColumn if_known(FigureKey figure, std::string_view title = {}) {
  return {figure, Shown::known, title};
}
[[nodiscard]] consteval FigureColumn in_csv(FigureKey figure) { return {figure, Shown::csv}; }
[[nodiscard]] consteval FigureColumn beside_text(FigureKey figure) {
  return {figure, Shown::beside_text};
}
[[nodiscard]] consteval FigureColumn where_known(FigureKey figure) {
  return {figure, Shown::where_known};
}
/// A column of kernels' names, or of other long texts, which may be shortened.
[[nodiscard]] constexpr FigureColumn cut(FigureColumn column) {
  column.cut = true;
  return column;
}
[[nodiscard]] consteval FigureColumn cut(FigureKey figure) { return cut(FigureColumn{figure}); }
[[nodiscard]] constexpr FigureColumn shrinking(FigureColumn column) {
  column.shrinks = true;
  return column;
}
[[nodiscard]] consteval FigureColumn shrinking(FigureKey figure) {
  return shrinking(FigureColumn{figure});
}
/// A column that needs the previous one, like the end of an interval.
[[nodiscard]] consteval FigureColumn joined(FigureColumn column) {
  column.joined = true;
  return column;
}
[[nodiscard]] consteval FigureColumn joined(FigureKey figure) {
  return joined(FigureColumn{figure});
}

/// A column with `>= 4.467 G` where only a lower bound is known; CSV has only the figure.
[[nodiscard]] constexpr FigureColumn bounded(FigureColumn column, FigureKey least) {
  column.least = least;
  return column;
}
[[nodiscard]] consteval FigureColumn bounded(FigureKey figure, FigureKey least) {
  return bounded(FigureColumn{figure}, least);
}

/// A column of shares of one whole, shown as bars.
[[nodiscard]] consteval FigureColumn in_bars(FigureKey figure) {
  FigureColumn column{figure};
  column.bar = true;
  return column;
}

namespace figure_column {

consteval FigureColumn of(const char* figure) { return {figure}; }
consteval FigureColumn of(FigureColumn column) { return column; }

}  // namespace figure_column

/// The columns of a table: words of the vocabulary, or columns made by the functions above.
template <class... Each>
[[nodiscard]] consteval auto columns_of(const Each&... each) {
  return std::array<FigureColumn, sizeof...(Each)>{figure_column::of(each)...};
}

/// Returns columns with another `shown` for some of them.
template <std::size_t count>
[[nodiscard]] std::array<FigureColumn, count> shown_as(Shown shown,
                                                       std::initializer_list<FigureKey> figures,
                                                       std::array<FigureColumn, count> columns) {
  for (FigureColumn& column : columns) {
    for (const FigureKey figure : figures) {
      if (figure.key() == column.figure.key()) column.shown = shown;
    }
  }
  return columns;
}

/// A cell for people and for CSV; null is a dash.
[[nodiscard]] Cell cell_of(const Figure& figure, const Json& value);
template <class Value>
[[nodiscard]] Cell cell_of(const Figure& figure, const Value& value) {
  return cell_of(figure, codec::encode(value));
}
template <class Value>
[[nodiscard]] Cell cell_of(FigureKey key, const Value& value) {
  return cell_of(key.figure(), codec::encode(value));
}

/// Returns the value of a figure in row `i`; null where it is not known.
using ValueOf = std::function<Json(std::size_t i)>;
/// Finds the values of a figure by its name or its path within a row.
using ValuesOf = std::function<ValueOf(const std::string& name)>;
/// Table of `rows` rows. Texts are left-aligned.
[[nodiscard]] Table table_of(std::size_t rows, std::span<const FigureColumn> columns,
                             const ValuesOf& values);

/// The only path to a figure in a described type. None or several are a fault of the table.
[[nodiscard]] FieldPath path_to(std::span<const Field> fields, const std::string& name);

/// Table with one row per value. Each column is found once, in the fields of the type.
template <Described Row>
[[nodiscard]] Table table_of(std::span<const Row> rows, std::span<const FigureColumn> columns) {
  return table_of(rows.size(), columns, [rows](const std::string& name) -> ValueOf {
    return [rows, path = path_to(fields_of(For<Row>{}), name)](std::size_t i) {
      return value_at(&rows[i], path);
    };
  });
}

/// Rows of totals below a table: columns that the totals do not have are empty.
template <Described Row>
[[nodiscard]] std::vector<std::vector<Cell>> totals_of(std::span<const Row> rows,
                                                       std::span<const FigureColumn> columns) {
  const ValuesOf values = [rows](const std::string& name) -> ValueOf {
    if (paths_to(fields_of(For<Row>{}), name).empty()) return [](std::size_t) { return Json(); };
    return [rows, path = path_to(fields_of(For<Row>{}), name)](std::size_t i) {
      return value_at(&rows[i], path);
    };
  };
  return table_of(rows.size(), columns, values).rows;
}

/// Document of a command that lists described rows: a table, and in JSON the rows under `key`.
template <Described Row>
[[nodiscard]] Document list_of(const std::string& title, std::string_view command, FigureKey key,
                               std::span<const Row> rows, std::span<const FigureColumn> columns) {
  Document document{.title = title, .tables = {table_of(rows, columns)}};
  document.json = command_json(command, key, rows);
  return document;
}

/// Table of an object's known facts as rows of title and value; facts of inner objects are prefixed
/// with their titles.
[[nodiscard]] Table facts_table(const Json& object);

/// Adds a table if it has rows.
void add_filled(std::vector<Table>& tables, Table table);

/// Cell of a row in the column of that figure, which must exist; for changing its form.
[[nodiscard]] Cell& cell_at(Table& table, std::size_t row, FigureKey figure);

/// Moves values that all rows share to the title: batch, phase, precision and worker, or `keys`.
void move_constants_to_title(Table& table, std::initializer_list<std::string_view> keys = {
                                               "batch", "context", "phase", "precision", "worker",
                                               "predicted_from"});

}  // namespace rooflab::page
