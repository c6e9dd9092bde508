#include "page_tables.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "case_selection.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/study/quantity.hpp"

namespace rooflab::study {
namespace {

using report::Align;
using report::Cell;
using report::Column;
using report::Table;
using CaseList = std::vector<const StudyCase*>;

Column right(std::string key, std::string title) {
  Column column;
  column.key = std::move(key);
  column.title = std::move(title);
  return column;
}

Cell ratio_cell(const Figure* a, double b) {
  if (a == nullptr || b == 0.0) return {"-", ""};
  return {format("{:.3g}x", a->value / b), format("{}", a->value / b)};
}

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

/// The first figure, of the same quantity where there is one, of a case that a published row is
/// about.
const Figure* own_figure(std::span<const StudyCase> cases, const Attributes& where, bool measured,
                         std::string_view quantity) {
  for (const std::string_view name : {quantity, own_quantity(quantity)}) {
    for (const StudyCase& each : cases) {
      const std::string_view mode = each.attribute("mode");
      if (mode == "published" || (mode != "predict" && mode != "summary") != measured) continue;
      const Figure* const figure = agrees(each, where) ? each.find(name) : nullptr;
      if (figure != nullptr) return figure;
    }
  }
  return nullptr;
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

CaseList having(std::span<const StudyCase> cases, const Attributes& where,
                std::span<const std::string> quantities) {
  CaseList list;
  for (const StudyCase& each : cases) {
    const auto has = [&each](const std::string& name) { return each.find(name) != nullptr; };
    if (has_all(each, where) && std::ranges::any_of(quantities, has)) list.push_back(&each);
  }
  return list;
}

std::string title_of(const std::string& quantity) {
  return std::string(find_quantity(quantity)->title);
}

Table plain_table(const CaseList& cases, std::span<const std::string> quantities) {
  Table table;
  std::vector<std::string> keys = differing_attributes(cases);
  if (keys.empty()) {
    const bool named = std::ranges::any_of(
        cases, [](const StudyCase* each) { return !each->attribute("model").empty(); });
    keys = {named ? "model" : "group"};
  }
  for (const std::string& key : keys) table.columns.push_back(left_column(key, key));
  for (const std::string& name : quantities) table.columns.push_back(right(name, title_of(name)));
  for (const StudyCase* each : cases) {
    std::vector<Cell> row;
    for (const std::string& key : keys) row.emplace_back(std::string(each->attribute(key)));
    for (const std::string& name : quantities) row.push_back(figure_cell(each->find(name)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// A row for all cases that are alike but for `beside`, whose values are columns.
Table crossed_table(const CaseList& cases, std::span<const std::string> quantities,
                    const std::string& beside) {
  std::vector<std::string> keys = differing_attributes(cases);
  std::erase(keys, beside);
  std::vector<std::string> values;
  for (const StudyCase* each : cases) {
    const std::string value(each->attribute(beside));
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  std::vector<std::string> rows;
  std::map<std::string, std::map<std::string, const StudyCase*>> found;
  for (const StudyCase* each : cases) {
    const std::string label = label_of(*each, keys);
    if (!found.contains(label)) rows.push_back(label);
    found[label].emplace(each->attribute(beside), each);
  }
  Table table;
  table.columns.push_back(left_column("case", "case"));
  for (const std::string& name : quantities) {
    for (const std::string& value : values) {
      table.columns.push_back(
          right(format("{}_{}", name, value), format("{}, {}", title_of(name), value)));
    }
  }
  for (const std::string& label : rows) {
    std::vector<Cell> row = {label};
    for (const std::string& name : quantities) {
      for (const std::string& value : values) {
        const auto one = found[label].find(value);
        row.push_back(figure_cell(one == found[label].end() ? nullptr : one->second->find(name)));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Column left_column(std::string key, std::string title) {
  Column column;
  column.key = std::move(key);
  column.title = std::move(title);
  column.align = Align::left;
  return column;
}

Cell figure_cell(const Figure* figure) {
  if (figure == nullptr) return {"-", ""};
  const Quantity& quantity = *find_quantity(figure->quantity);
  std::string text = text_of(quantity, figure->value);
  if (figure->low && figure->high) {
    text +=
        format(" ({} to {})", text_of(quantity, *figure->low), text_of(quantity, *figure->high));
  }
  return {std::move(text), format("{}", figure->value)};
}

Table published_table(const StudyResults& results) {
  Table table;
  table.title = "Published, predicted and measured";
  table.columns = {left_column("case", "case"),
                   left_column("quantity", "quantity"),
                   right("published", "published"),
                   right("predicted", "predicted"),
                   right("predicted_over_published", "over published"),
                   right("measured", "measured"),
                   right("measured_over_published", "over published"),
                   left_column("source", "source")};
  for (const PublishedRow& row : results.study.published) {
    for (const auto& [name, value] : row.values) {
      const Quantity& quantity = *find_quantity(name);
      const Figure* const predicted = own_figure(results.cases, row.where, false, name);
      const Figure* const measured = own_figure(results.cases, row.where, true, name);
      table.rows.push_back({label_of_where(row.where), std::string(quantity.title),
                            Cell(text_of(quantity, value), format("{}", value)),
                            figure_cell(predicted), ratio_cell(predicted, value),
                            figure_cell(measured), ratio_cell(measured, value), row.source});
    }
  }
  return table;
}

Table wished_table(const TableWish& wish, std::span<const StudyCase> cases) {
  const CaseList list = having(cases, wish.where, wish.values);
  Table table = wish.beside.empty() ? plain_table(list, wish.values)
                                    : crossed_table(list, wish.values, wish.beside);
  table.title = wish.title;
  return table;
}

Table usual_table(std::span<const StudyCase> cases) {
  const std::array<std::string, 14> usual = {
      "time",    "limit",    "samples_per_s", "flops",      "throughput", "intensity",
      "memory",  "energy",   "speed_up",      "efficiency", "accuracy",   "time_to_accuracy",
      "largest", "bandwidth"};
  const CaseList all = having(cases, {}, usual);
  CaseList own;
  std::ranges::copy_if(all, std::back_inserter(own), [](const StudyCase* each) {
    return each->attribute("mode") != "published";
  });
  std::vector<std::string> names;
  for (const std::string& name : usual) {
    const auto has = [&name](const StudyCase* each) { return each->find(name) != nullptr; };
    if (std::ranges::any_of(own, has)) names.push_back(name);
  }
  Table table = plain_table(own, names);
  table.title = "Results";
  return table;
}

Table case_table(const StudyResults& results) {
  Table table;
  table.title = "Cases";
  table.columns = {left_column("id", "case"),   left_column("asked", "asked for"),
                   left_column("done", "done"), left_column("outcome", "outcome"),
                   right("seconds", "took"),    left_column("command", "command")};
  for (std::size_t i = 0; i < results.plan.size(); ++i) {
    const PlannedCase& planned = results.plan[i];
    const std::optional<CaseOutcome>& outcome = results.outcomes[i];
    const StudyCase& each = results.cases[i];
    std::string said = each.reason.empty() ? "done" : each.reason;
    if (!planned.note.empty()) said += format(" ({})", planned.note);
    table.rows.push_back({planned.id, std::string(name_of(planned.asked)),
                          planned.skipped.empty() ? std::string(name_of(planned.mode)) : "-", said,
                          outcome ? report::si_cell(outcome->seconds, "s") : Cell("-", ""),
                          planned.words.empty() ? "" : command_of(planned)});
  }
  return table;
}

}  // namespace rooflab::study
