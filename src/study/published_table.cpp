#include <algorithm>

#include "base/format.hpp"
#include "case_selection.hpp"
#include "chart/html_dots.hpp"
#include "page_tables.hpp"

namespace rooflab::study {
namespace {

using page::Cell;
using page::Table;

std::string label_of_where(const Attributes& where) {
  StudyCase row;
  row.attributes = where;
  std::vector<std::string> keys;
  for (const auto& [key, value] : where) {
    if (key != "named") keys.push_back(key);
  }
  const auto rank = [](const std::string& key) {
    return key == "model" ? 0 : key == "device" ? 1 : 2;
  };
  std::ranges::stable_sort(keys, {}, rank);
  return label_of(row, keys);
}

}  // namespace

void add_published(page::PageSection& section, std::span<const PublishedFigure> figures) {
  Table table = table_with(
      "Published, predicted and measured",
      {left("case"), left("quantity"), right("published"), right("predicted"),
       right("published_over_predicted", "published over it"), right("measured"),
       right("published_over_measured", "published over it"), left("reading"), left("source")});
  std::vector<const StudyCase*> shown;
  std::vector<ShownValue> values;
  const auto add = [&](std::vector<Cell>& row, const OwnFigure& own, double published) {
    if (own.figure == nullptr) {
      row.insert(row.end(), {Cell("-", ""), Cell("-", "")});
      return;
    }
    row.push_back(figure_cell(*own.of, own.figure->quantity));
    const auto ratio = ratio_to(published, own);
    row.push_back(ratio ? Cell(chart::ratio_text(*ratio), format("{}", *ratio)) : Cell("-", ""));
    if (!is_misfit(*own.of, own.figure->quantity)) return;
    shown.push_back(own.of);
    values.push_back(ShownValue::of_quantity(*find_quantity(own.figure->quantity)));
  };
  for (const PublishedFigure& each : figures) {
    std::vector<Cell> cells = {label_of_where(each.row->where), std::string(each.quantity->title),
                               Cell(text_of(*each.quantity, each.value), format("{}", each.value))};
    add(cells, each.predicted, each.value);
    add(cells, each.measured, each.value);
    const std::string reading = reading_of(each);
    cells.push_back(reading.empty() ? Cell("-", "") : Cell(reading));
    cells.emplace_back(each.row->source);
    table.rows.push_back(std::move(cells));
  }
  if (table.rows.empty()) return;
  const std::string title = table.title;
  section.details.push_back(detail_of(title, std::move(table)));
  add_misfit_notes(section, shown, values);
}

}  // namespace rooflab::study
