#include "page_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "case_selection.hpp"
#include "chart/html_dots.hpp"
#include "json_part.hpp"
#include "layer_cases.hpp"
#include "mode_figures.hpp"
#include "report/page_parts.hpp"
#include "rooflab/report/views.hpp"
#include "study_quantity.hpp"

namespace rooflab::study {
namespace {

using page::Align;
using page::Cell;
using page::Column;
using page::Table;

/// A column's key: the quantity's name, or the letters and digits of the text.
std::string column_key(const ShownValue& shown) {
  std::string key;
  for (const char c : shown.key()) {
    const bool plain = is_letter(c) || is_digit(c) || c == '_';
    if (plain) key += c;
    if (!plain && !key.empty() && key.back() != '_') key += '_';
  }
  return key;
}

bool any_has(const CaseList& cases, const std::string& key) {
  return std::ranges::any_of(
      cases, [&key](const StudyCase* each) { return !each->attribute(key).empty(); });
}

/// A row per case, told from the others by `keys`.
Table plain_table(const CaseList& cases, std::vector<std::string> keys,
                  std::span<const ShownValue> values, std::span<const StudyCase> all) {
  Table table;
  std::erase_if(keys, [&cases](const std::string& key) { return !any_has(cases, key); });
  if (keys.empty()) keys = {any_has(cases, "model") ? "model" : "group"};
  for (const std::string& key : keys) table.columns.push_back(left(key));
  for (const ShownValue& each : values) {
    table.columns.push_back(right(column_key(each), each.title()));
  }
  for (const StudyCase* each : cases) {
    std::vector<Cell> row;
    for (const std::string& key : keys) row.emplace_back(std::string(each->attribute(key)));
    for (const ShownValue& value : values) row.push_back(figure_cell(*each, value, all));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Cases that are alike but for an attribute, by its value.
struct CrossedRow {
  std::string label;
  std::map<std::string, const StudyCase*> cases;
};

/// Rows by label. The second of two cases that nothing tells apart has a separate row.
std::vector<CrossedRow> crossed_rows(const CaseList& cases, const std::string& beside) {
  std::vector<std::string> keys = telling_attributes(cases);
  std::erase(keys, beside);
  std::vector<CrossedRow> rows;
  for (const StudyCase* each : cases) {
    const std::string label = label_of(*each, keys);
    const std::string value(each->attribute(beside));
    auto row = std::ranges::find_if(rows, [&](const CrossedRow& other) {
      return other.label == label && !other.cases.contains(value);
    });
    if (row == rows.end()) row = rows.insert(row, {label, {}});
    row->cases[value] = each;
  }
  return rows;
}

/// A row for all cases that are alike but for `beside`, whose values are columns.
Table crossed_table(const CaseList& cases, std::span<const ShownValue> shown,
                    const std::string& beside, std::span<const StudyCase> all) {
  std::vector<std::string> values;
  for (const StudyCase* each : cases) {
    const std::string value(each->attribute(beside));
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  Table table;
  table.columns.push_back(left("case"));
  for (const ShownValue& each : shown) {
    for (const std::string& value : values) {
      const std::string of = value.empty() ? "no " + beside : value;
      table.columns.push_back(
          right(format("{}_{}", column_key(each), of), format("{}, {}", each.title(), of)));
    }
  }
  for (const CrossedRow& crossed : crossed_rows(cases, beside)) {
    std::vector<Cell> row = {crossed.label};
    for (const ShownValue& each : shown) {
      for (const std::string& value : values) {
        const auto found = crossed.cases.find(value);
        row.push_back(found == crossed.cases.end() ? Cell("-", "")
                                                   : figure_cell(*found->second, each, all));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Quantities that are shown together, from the first on to the next subject's first.
struct Subject {
  std::string_view first;
  std::string_view title;
};
constexpr Subject subjects[] = {{"parameters", "work"},
                                {"time", "time"},
                                {"memory", "memory"},
                                {"counted_flops", "hardware counters"},
                                {"energy", "energy and load"},
                                {"gpus", "several devices"},
                                {"accuracy", "training and variation"},
                                {"largest", "what fits"},
                                {"bandwidth", "roofs"},
                                {"estimated_time", "estimates"}};

/// What follows from the device's roofs is shown where the study asks for it, and of a probe.
bool is_of_roofs(const StudyCase& study_case, std::string_view quantity) {
  constexpr std::array<std::string_view, 3> roofs = {"bandwidth", "peak_flops", "attainable"};
  return std::ranges::find(roofs, quantity) != roofs.end() &&
         study_case.attribute("mode") != name_of(Mode::probe);
}

/// Which of them a case has, in the order of the quantities.
std::vector<ShownValue> values_in(const CaseList& cases) {
  std::vector<ShownValue> values;
  for (const Quantity& quantity : quantities()) {
    const auto has = [&](const StudyCase* each) {
      return each->find(quantity.name) != nullptr && !is_of_roofs(*each, quantity.name);
    };
    if (std::ranges::any_of(cases, has)) values.push_back(ShownValue::of_quantity(quantity));
  }
  return values;
}

struct Chapter {
  std::string title;
  std::vector<ShownValue> values;
};

/// `values`, which are in the order of the quantities, by subject.
std::vector<Chapter> chapters_of(std::span<const ShownValue> values) {
  std::vector<Chapter> chapters;
  for (const Quantity& quantity : quantities()) {
    const auto* const subject = std::ranges::find(subjects, quantity.name, &Subject::first);
    if (subject != std::end(subjects))
      chapters.push_back({format("Figures: {}", subject->title), {}});
    const auto value = std::ranges::find(values, quantity.name, &ShownValue::key);
    if (value != values.end()) chapters.back().values.push_back(*value);
  }
  std::erase_if(chapters, [](const Chapter& each) { return each.values.empty(); });
  return chapters;
}

}  // namespace

Table table_with(std::string title, std::vector<Column> columns) {
  Table table;
  table.title = std::move(title);
  table.columns = std::move(columns);
  return table;
}

page::PageDetail detail_of(std::string heading, Table table) {
  page::PageDetail detail;
  table.title = heading;
  detail.heading = std::move(heading);
  detail.table = std::move(table);
  detail.in_text = true;
  return detail;
}

Column left(std::string key, std::string title) {
  Column column = right(std::move(key), std::move(title));
  column.align = Align::left;
  return column;
}

Column right(std::string key, std::string title) {
  Column column;
  column.title = title.empty() ? key : std::move(title);
  column.key = std::move(key);
  return column;
}

CaseList cases_with(std::span<const StudyCase> cases, const Attributes& where,
                    std::span<const ShownValue> values) {
  CaseList list;
  for (const StudyCase& each : cases) {
    const auto has = [&](const ShownValue& value) { return value.of(each, cases).has_value(); };
    if (has_all(each, where) && std::ranges::any_of(values, has)) list.push_back(&each);
  }
  return list;
}

void add_wished(page::PageSection& section, const TableWish& wish, const StudyResults& results) {
  std::vector<StudyCase> layers;
  if (wish.rows == TableWish::Rows::layers) layers = layer_cases(results, wish.where);
  const std::span<const StudyCase> cases =
      wish.rows == TableWish::Rows::layers ? std::span<const StudyCase>(layers) : results.cases;
  const CaseList list = cases_with(cases, wish.where, wish.values);
  if (list.empty()) {
    section.notes.push_back(format("no case has the figures of '{}'", wish.title));
    return;
  }
  Table table = wish.beside.empty()
                    ? plain_table(list, telling_attributes(list), wish.values, cases)
                    : crossed_table(list, wish.values, wish.beside, cases);
  table.title = wish.title;
  section.tables.push_back(std::move(table));
  add_misfit_notes(section, list, wish.values);
}

void add_usual(page::PageSection& section, std::span<const StudyCase> cases) {
  CaseList own;
  for (const StudyCase& each : cases) {
    if (each.attribute("mode") != "published" && !each.figures.empty()) own.push_back(&each);
  }
  if (own.empty()) return;
  constexpr std::size_t wide = 8;
  const std::vector<ShownValue> values = values_in(own);
  std::vector<Chapter> chapters = {{"Figures", values}};
  if (values.size() > wide) chapters = chapters_of(values);
  for (const Chapter& chapter : chapters) {
    CaseList list;
    std::ranges::copy_if(own, std::back_inserter(list), [&](const StudyCase* each) {
      return std::ranges::any_of(chapter.values, [each](const ShownValue& value) {
        return each->find(value.key()) != nullptr;
      });
    });
    section.tables.push_back(plain_table(list, telling_attributes(own), chapter.values, cases));
    section.tables.back().title = chapter.title;
  }
  add_misfit_notes(section, own, values);
}

void add_stages(page::PageSection& section, const StudyResults& results) {
  for (std::size_t i = 0; i < results.plan.size(); ++i) {
    const PlannedCase& planned = results.plan[i];
    if (planned.mode != Mode::partition || !results.outcomes[i]) continue;
    const Json& stages = list_of(shown_plan(results.outcomes[i]->result), "stages");
    if (stages.empty()) continue;
    std::vector<page::JoinedRow> rows;
    for (const Json& stage : stages) {
      rows.emplace_back().of_file(stage).without<analyze::PartitionStage>();
    }
    section.tables.push_back(report::stage_table(rows));
    section.tables.back().title = format("Stages of {}", planned.id);
  }
  if (section.tables.empty()) return;
  section.notes.push_back(
      "Memory: the most that tensors and workspaces hold. Transfer: what a stage receives.");
}

}  // namespace rooflab::study
