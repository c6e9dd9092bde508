#pragma once

#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/schema.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/document.hpp"

/// Tables of described values: a column is a word of the vocabulary.
namespace rooflab::report {

/// Where a column is shown.
enum class Shown : std::uint8_t {
  always,
  known,        ///< left for CSV where no row has the figure
  beside_text,  ///< likewise, and left out of text, which has to fit a terminal
  where_known,  ///< left out altogether where no row has the figure; left out of text
  csv,          ///< in CSV alone
};

/// A column: a figure, and what the table says of it in its own way.
struct FigureColumn {
  FigureKey figure;
  Shown shown = Shown::always;
  std::string_view title = {};  ///< in place of the vocabulary's
  bool cut = false;             ///< see Column
  bool shrinks = false;         ///< see Column
  bool joined = false;          ///< see Column
  bool bar = false;             ///< see Column
  /// A lower bound of the figure, which stands in its place for people where it is not known.
  std::optional<FigureKey> least = {};
  /// The member of the row that has the figure, where several have one: `panes.ours`.
  std::string_view member = {};
};

/// The figure of a member, where several members of the row have one: `panes.ours`.
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
/// Names of kernels; other long texts.
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
/// Says nothing without the column before it, like the end of an interval.
[[nodiscard]] consteval FigureColumn joined(FigureColumn column) {
  column.joined = true;
  return column;
}
[[nodiscard]] consteval FigureColumn joined(FigureKey figure) {
  return joined(FigureColumn{figure});
}

/// `>= 4.467 G` where only a lower bound is known; CSV has the figure alone.
[[nodiscard]] constexpr FigureColumn bounded(FigureColumn column, FigureKey least) {
  column.least = least;
  return column;
}
[[nodiscard]] consteval FigureColumn bounded(FigureKey figure, FigureKey least) {
  return bounded(FigureColumn{figure}, least);
}

/// Shares of one whole.
[[nodiscard]] consteval FigureColumn in_bars(FigureKey figure) {
  FigureColumn column{figure};
  column.bar = true;
  return column;
}

namespace figure_column {

consteval FigureColumn of(const char* figure) { return {figure}; }
consteval FigureColumn of(FigureColumn column) { return column; }

}  // namespace figure_column

/// The columns of a table: words of the vocabulary, or columns as the functions above make them.
template <class... Each>
[[nodiscard]] consteval auto columns_of(const Each&... each) {
  return std::array<FigureColumn, sizeof...(Each)>{figure_column::of(each)...};
}

/// The same columns, some of them shown in another way.
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

/// A column more of a table with one row for each object: of figures that are known at run time.
/// `least`: its lower bound, see FigureColumn. nullptr: the table does without.
Column* add_column(Table& table, std::span<const Json> rows, const Figure& figure,
                   Shown shown = Shown::always, std::string_view title = {},
                   const Figure* least = nullptr);

/// One row for each object. A figure is looked for among the members of the object, then in the
/// objects within it; two of them with the figure are a fault. Texts stand left.
[[nodiscard]] Table table_of(std::span<const Json> rows, std::span<const FigureColumn> columns);

/// What a table asks of its rows: the value of a figure in row `i`, null where it is not known.
using ValueOf = std::function<Json(std::size_t i)>;
/// Finds the values of a figure, by its name or its path within a row.
using ValuesOf = std::function<ValueOf(const std::string& name)>;
[[nodiscard]] Table table_of(std::size_t rows, std::span<const FigureColumn> columns,
                             const ValuesOf& values);

/// The one path to a figure of a described type. A fault of the table: there is none, or several.
[[nodiscard]] FieldPath path_to(std::span<const Field> fields, const std::string& name);

/// One row for each value. Each column is found once, in the fields of the type.
template <Described Row>
[[nodiscard]] Table table_of(std::span<const Row> rows, std::span<const FigureColumn> columns) {
  return table_of(rows.size(), columns, [rows](const std::string& name) -> ValueOf {
    return [rows, path = path_to(fields_of(For<Row>{}), name)](std::size_t i) {
      return value_at(&rows[i], path);
    };
  });
}

/// What a command lists: a table of described rows, in JSON the same rows under `key`.
template <Described Row>
[[nodiscard]] Document list_of(const std::string& title, std::string_view command, FigureKey key,
                               std::span<const Row> rows, std::span<const FigureColumn> columns) {
  Document document{.title = title, .tables = {table_of(rows, columns)}};
  document.json = command_json(command, key, rows);
  return document;
}

/// An object as rows of title and value: what is known of it, with what stands in objects within
/// it behind their titles.
[[nodiscard]] Table facts_table(const Json& object);

/// `batch 8`; of a case with a known context `batch 8, context 512`.
template <class Case>
[[nodiscard]] std::string size_text_of(const Case& of) {
  if constexpr (requires { of.size_text(); }) {
    return of.size_text();
  } else {
    const std::int64_t batch = of.batch;
    return format("batch {}", batch);
  }
}

/// `batch 8, training, tf32`
template <class Case>
[[nodiscard]] std::string work_of(const Case& of) {
  return format("{}, {}, {}", size_text_of(of), name_of(of.phase), name_of(of.precision));
}

/// Adds a table that has rows.
void add_filled(std::vector<Table>& tables, Table table);

/// What stands in the row under that figure, which must be a column; to show it in another way.
[[nodiscard]] Cell& cell_at(Table& table, std::size_t row, FigureKey figure);

/// What all rows share is said once, in the title: batch, phase and precision, or `keys`.
void move_constants_to_title(Table& table,
                             std::initializer_list<std::string_view> keys = {
                                 "batch", "context", "phase", "precision", "predicted_from"});

}  // namespace rooflab::report
