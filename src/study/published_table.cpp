#include <algorithm>
#include <array>
#include <utility>

#include "case_selection.hpp"
#include "page_tables.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/study/quantity.hpp"

namespace rooflab::study {
namespace {

using report::Cell;
using report::Table;

/// What of our own stands beside a published quantity: of what was counted and what was estimated
/// by pen, the model's count.
std::string_view own_quantity(std::string_view published) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Pair, 6> pairs = {
      Pair{"counted_flops", "flops"}, {"estimated_flops", "flops"},
      {"dram_bytes", "bytes"},        {"estimated_bytes", "bytes"},
      {"estimated_time", "time"},     {"largest", "predicted_largest"}};
  const auto* const found = std::ranges::find(pairs, published, &Pair::first);
  return found == pairs.end() ? published : found->second;
}

/// A figure of a case; nullptrs: not found.
struct OwnFigure {
  const StudyCase* of = nullptr;
  const Figure* figure = nullptr;
};

/// The first figure of a case that a published row is about: of the same quantity where there is
/// one, of the very phase where there is one.
OwnFigure own_figure(std::span<const StudyCase> cases, const Attributes& where, bool measured,
                     std::string_view quantity) {
  for (const std::string_view name : {quantity, own_quantity(quantity)}) {
    for (const SamePass pass : {SamePass::exact, SamePass::arithmetic}) {
      if (pass == SamePass::arithmetic && find_quantity(name)->unit == "B") continue;
      for (const StudyCase& each : cases) {
        const std::string_view mode = each.attribute("mode");
        if (mode == "published" || (mode != "predict" && mode != "summary") != measured) continue;
        const Figure* const figure = each.find(name);
        if (figure != nullptr && agrees(each, where, pass)) return {&each, figure};
      }
    }
  }
  return {};
}

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

void add_published(report::PageSection& section, const StudyResults& results) {
  Table table;
  table.title = "Published, predicted and measured";
  table.columns = {left_column("case", "case"),
                   left_column("quantity", "quantity"),
                   right_column("published", "published"),
                   right_column("predicted", "predicted"),
                   right_column("predicted_over_published", "over published"),
                   right_column("measured", "measured"),
                   right_column("measured_over_published", "over published"),
                   left_column("source", "source")};
  std::vector<const StudyCase*> shown;
  std::vector<std::string> quantities;
  const auto add = [&](std::vector<Cell>& row, const OwnFigure& own, double published) {
    if (own.figure == nullptr) {
      row.insert(row.end(), {Cell("-", ""), Cell("-", "")});
      return;
    }
    row.push_back(figure_cell(*own.of, own.figure->quantity));
    const double ratio = own.figure->value / published;
    row.push_back(published == 0.0 ? Cell("-", "")
                                   : Cell(format("{:.3g}x", ratio), format("{}", ratio)));
    if (!is_misfit(*own.of, own.figure->quantity)) return;
    shown.push_back(own.of);
    quantities.push_back(own.figure->quantity);
  };
  for (const PublishedRow& row : results.study.published) {
    for (const auto& [name, value] : row.values) {
      const Quantity& quantity = *find_quantity(name);
      std::vector<Cell> cells = {label_of_where(row.where), std::string(quantity.title),
                                 Cell(text_of(quantity, value), format("{}", value))};
      add(cells, own_figure(results.cases, row.where, false, name), value);
      add(cells, own_figure(results.cases, row.where, true, name), value);
      cells.emplace_back(row.source);
      table.rows.push_back(std::move(cells));
    }
  }
  if (table.rows.empty()) return;
  section.tables.push_back(std::move(table));
  add_misfit_notes(section, shown, quantities);
}

}  // namespace rooflab::study
