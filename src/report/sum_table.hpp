#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rooflab/record/kernel_sums.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// `81.92 kFLOP`, `50.0 %`: a figure of kernels for a sentence.
[[nodiscard]] std::string amount_of(record::KernelFigure figure, double value);

/// How a figure of sums stands in a table; FLOPs without their unit, which the titles have.
[[nodiscard]] Column column_of(record::KernelFigure figure);
[[nodiscard]] Cell cell_of(const record::KernelSums& sums, record::KernelFigure figure);

/// The columns of a table whose rows have a member `sums`: each a heading and what stands below it.
template <class Row>
class SumTable {
 public:
  void column(Column column, std::function<Cell(const Row& row)> cell) {
    columns_.push_back(std::move(column));
    cells_.push_back(std::move(cell));
  }

  /// The heading, to be changed where this table says it otherwise.
  Column& figure(record::KernelFigure figure, bool only_in_csv = false) {
    column(column_of(figure), [figure](const Row& row) { return cell_of(row.sums, figure); });
    columns_.back().only_in_csv = only_in_csv;
    return columns_.back();
  }

  /// Every figure that all records are asked for.
  void figures(std::initializer_list<record::KernelFigure> only_in_csv = {}) {
    for (const record::KernelFigure each : values_of<record::KernelFigure>) {
      if (facts_of(each).shown != record::Shown::always) continue;
      figure(each, std::ranges::find(only_in_csv, each) != only_in_csv.end());
    }
  }

  void launches(std::string key) {
    column({key, key},
           [](const Row& row) { return count_cell(static_cast<std::int64_t>(row.sums.launches)); });
  }

  /// Sums that not every record has, where some row has them.
  void collected(std::span<const Row> rows, bool too_wide = false) {
    for (const record::KernelFigure each : values_of<record::KernelFigure>) {
      const auto has = [each](const Row& row) { return row.sums.count(each) > 0; };
      if (!facts_of(each).is_further_sum() || std::ranges::none_of(rows, has)) continue;
      figure(each).too_wide = too_wide;
    }
  }

  [[nodiscard]] std::vector<Cell> cells(const Row& row) const {
    std::vector<Cell> cells;
    for (const auto& cell : cells_) cells.push_back(cell(row));
    return cells;
  }

  [[nodiscard]] Table table(std::string title, std::span<const Row> rows) const {
    Table table;
    table.title = std::move(title);
    table.columns = columns_;
    for (const Row& row : rows) table.rows.push_back(cells(row));
    return table;
  }

 private:
  std::vector<Column> columns_;
  std::vector<std::function<Cell(const Row& row)>> cells_;
};

}  // namespace rooflab::report
