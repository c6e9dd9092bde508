#include "page_tables.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "case_selection.hpp"
#include "json_part.hpp"
#include "quantity.hpp"
#include "report/html_dots.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::study {
namespace {

using report::Align;
using report::Cell;
using report::Column;
using report::Table;

Cell figure_cell(const Figure& figure) {
  const Quantity& quantity = *find_quantity(figure.quantity);
  std::string text = text_of(quantity, figure.value);
  if (figure.low && figure.high) {
    text += format(" ({} to {})", text_of(quantity, *figure.low), text_of(quantity, *figure.high));
  }
  return {std::move(text), format("{}", figure.value)};
}

/// Whether a quantity is of a step that runs, not of what it would do.
bool is_of_running(const Quantity& quantity) {
  constexpr std::array<std::string_view, 5> units = {"s", "FLOP/s", "samples/s", "J", "W"};
  return std::ranges::find(units, quantity.unit()) != units.end();
}

bool has_any(const StudyCase& study_case, std::span<const std::string> quantities) {
  return std::ranges::any_of(quantities, [&study_case](const std::string& name) {
    return study_case.find(name) != nullptr;
  });
}

std::string title_of(const std::string& quantity) {
  return std::string(find_quantity(quantity)->title);
}

bool any_has(const CaseList& cases, const std::string& key) {
  return std::ranges::any_of(
      cases, [&key](const StudyCase* each) { return !each->attribute(key).empty(); });
}

/// A row per case, told from the others by `keys`.
Table plain_table(const CaseList& cases, std::vector<std::string> keys,
                  std::span<const std::string> quantities) {
  Table table;
  std::erase_if(keys, [&cases](const std::string& key) { return !any_has(cases, key); });
  if (keys.empty()) keys = {any_has(cases, "model") ? "model" : "group"};
  for (const std::string& key : keys) table.columns.push_back(left(key));
  for (const std::string& name : quantities) table.columns.push_back(right(name, title_of(name)));
  for (const StudyCase* each : cases) {
    std::vector<Cell> row;
    for (const std::string& key : keys) row.emplace_back(std::string(each->attribute(key)));
    for (const std::string& name : quantities) row.push_back(figure_cell(*each, name));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Cases that are alike but for an attribute, by its value.
struct CrossedRow {
  std::string label;
  std::map<std::string, const StudyCase*> cases;
};

/// Rows by label. The second of two cases that nothing tells apart has a row of its own.
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
Table crossed_table(const CaseList& cases, std::span<const std::string> quantities,
                    const std::string& beside) {
  std::vector<std::string> values;
  for (const StudyCase* each : cases) {
    const std::string value(each->attribute(beside));
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  Table table;
  table.columns.push_back(left("case"));
  for (const std::string& name : quantities) {
    for (const std::string& value : values) {
      const std::string of = value.empty() ? "no " + beside : value;
      table.columns.push_back(
          right(format("{}_{}", name, of), format("{}, {}", title_of(name), of)));
    }
  }
  for (const CrossedRow& crossed : crossed_rows(cases, beside)) {
    std::vector<Cell> row = {crossed.label};
    for (const std::string& name : quantities) {
      for (const std::string& value : values) {
        const auto found = crossed.cases.find(value);
        row.push_back(found == crossed.cases.end() ? Cell("-", "")
                                                   : figure_cell(*found->second, name));
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

/// Which of them a case has, in the order of the quantities.
std::vector<std::string> names_in(const CaseList& cases) {
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities()) {
    const auto has = [&](const StudyCase* each) { return each->find(quantity.name) != nullptr; };
    if (std::ranges::any_of(cases, has)) names.emplace_back(quantity.name);
  }
  return names;
}

struct Chapter {
  std::string title;
  std::vector<std::string> quantities;
};

/// `names`, which are in the order of the quantities, by subject.
std::vector<Chapter> chapters_of(std::span<const std::string> names) {
  std::vector<Chapter> chapters;
  for (const Quantity& quantity : quantities()) {
    const auto* const subject = std::ranges::find(subjects, quantity.name, &Subject::first);
    if (subject != std::end(subjects))
      chapters.push_back({format("Figures: {}", subject->title), {}});
    if (std::ranges::find(names, quantity.name) != names.end()) {
      chapters.back().quantities.emplace_back(quantity.name);
    }
  }
  std::erase_if(chapters, [](const Chapter& each) { return each.quantities.empty(); });
  return chapters;
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

Table table_with(std::string title, std::vector<Column> columns) {
  Table table;
  table.title = std::move(title);
  table.columns = std::move(columns);
  return table;
}

report::PageDetail detail_of(std::string heading, Table table) {
  report::PageDetail detail;
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
                    std::span<const std::string> quantities) {
  CaseList list;
  for (const StudyCase& each : cases) {
    if (has_all(each, where) && has_any(each, quantities)) list.push_back(&each);
  }
  return list;
}

Cell figure_cell(const StudyCase& study_case, std::string_view quantity) {
  const Figure* const figure = study_case.find(quantity);
  if (figure == nullptr) return {"-", ""};
  Cell cell = figure_cell(*figure);
  if (is_misfit(study_case, quantity)) cell.text += misfit_mark;
  return cell;
}

bool is_misfit(const StudyCase& study_case, std::string_view quantity) {
  const Figure* const needed = study_case.find("total_memory");
  const Figure* const there = study_case.find("device_memory");
  return study_case.attribute("mode") == "predict" && study_case.find(quantity) != nullptr &&
         is_of_running(*find_quantity(quantity)) && needed != nullptr && there != nullptr &&
         needed->value > there->value;
}

void add_misfit_notes(report::PageSection& section, std::span<const StudyCase* const> cases,
                      std::span<const std::string> quantities) {
  constexpr std::size_t most = 8;
  std::vector<std::string> notes;
  for (const StudyCase* each : cases) {
    const auto is_marked = [each](const std::string& name) { return is_misfit(*each, name); };
    if (std::ranges::none_of(quantities, is_marked)) continue;
    std::string note =
        format("{}: needs {} of {}, its time is of a device with more", title_of(*each),
               figure_cell(*each, "total_memory").text, figure_cell(*each, "device_memory").text);
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  const std::size_t more = notes.size() - std::min(notes.size(), most);
  notes.resize(notes.size() - more);
  if (more > 0) notes.push_back(format("so it is with {} more", more));
  for (std::string& note : notes) {
    report::add_once(section.notes, std::move(note));
  }
}

void add_published(report::PageSection& section, std::span<const PublishedFigure> figures) {
  Table table = table_with(
      "Published, predicted and measured",
      {left("case"), left("quantity"), right("published"), right("predicted"),
       right("published_over_predicted", "published over it"), right("measured"),
       right("published_over_measured", "published over it"), left("reading"), left("source")});
  std::vector<const StudyCase*> shown;
  std::vector<std::string> quantities;
  const auto add = [&](std::vector<Cell>& row, const OwnFigure& own, double published) {
    if (own.figure == nullptr) {
      row.insert(row.end(), {Cell("-", ""), Cell("-", "")});
      return;
    }
    row.push_back(figure_cell(*own.of, own.figure->quantity));
    const auto ratio = ratio_to(published, own);
    row.push_back(ratio ? Cell(report::ratio_text(*ratio), format("{}", *ratio)) : Cell("-", ""));
    if (!is_misfit(*own.of, own.figure->quantity)) return;
    shown.push_back(own.of);
    quantities.push_back(own.figure->quantity);
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
  add_misfit_notes(section, shown, quantities);
}

void add_wished(report::PageSection& section, const TableWish& wish,
                std::span<const StudyCase> cases) {
  const CaseList list = cases_with(cases, wish.where, wish.values);
  if (list.empty()) {
    section.notes.push_back(format("no case has the figures of '{}'", wish.title));
    return;
  }
  Table table = wish.beside.empty() ? plain_table(list, telling_attributes(list), wish.values)
                                    : crossed_table(list, wish.values, wish.beside);
  table.title = wish.title;
  section.tables.push_back(std::move(table));
  add_misfit_notes(section, list, wish.values);
}

void add_usual(report::PageSection& section, std::span<const StudyCase> cases) {
  CaseList own;
  for (const StudyCase& each : cases) {
    if (each.attribute("mode") != "published" && !each.figures.empty()) own.push_back(&each);
  }
  if (own.empty()) return;
  constexpr std::size_t wide = 8;
  const std::vector<std::string> names = names_in(own);
  std::vector<Chapter> chapters = {{"Figures", names}};
  if (names.size() > wide) chapters = chapters_of(names);
  for (const Chapter& chapter : chapters) {
    CaseList list;
    std::ranges::copy_if(own, std::back_inserter(list),
                         [&](const StudyCase* each) { return has_any(*each, chapter.quantities); });
    section.tables.push_back(plain_table(list, telling_attributes(own), chapter.quantities));
    section.tables.back().title = chapter.title;
  }
  add_misfit_notes(section, own, names);
}

void add_stages(report::PageSection& section, const StudyResults& results) {
  for (std::size_t i = 0; i < results.plan.size(); ++i) {
    const PlannedCase& planned = results.plan[i];
    if (planned.mode != Mode::partition || !results.outcomes[i]) continue;
    const Json& stages = list_of(part(results.outcomes[i]->result, "plan"), "stages");
    if (stages.empty()) continue;
    section.tables.push_back(report::stage_table(stages));
    section.tables.back().title = format("Stages of {}", planned.id);
  }
  if (section.tables.empty()) return;
  section.notes.push_back(
      "Memory: the most that tensors and workspaces hold. Transfer: what a stage receives.");
}

Table case_table(const StudyResults& results) {
  constexpr std::array<std::string_view, 3> shown = {"time", "limit", "memory"};
  Table table = table_with(
      "", {left("id", "case"), left("asked", "asked for"), left("done"), left("outcome")});
  for (const std::string_view name : shown) {
    table.columns.push_back(right(std::string(name), title_of(std::string(name))));
  }
  table.columns.push_back(right("seconds", "took"));
  table.columns.push_back(left("command"));
  for (std::size_t i = 0; i < results.plan.size(); ++i) {
    const PlannedCase& planned = results.plan[i];
    const std::optional<CaseOutcome>& outcome = results.outcomes[i];
    const StudyCase& each = results.cases[i];
    std::string said = each.reason.empty() ? "done" : each.reason;
    if (!planned.note.empty()) said += format(" ({})", planned.note);
    std::vector<Cell> row = {planned.id, std::string(name_of(planned.asked)),
                             planned.skipped.empty() ? std::string(name_of(planned.mode)) : "-",
                             said};
    for (const std::string_view name : shown) row.push_back(figure_cell(each, name));
    row.push_back(outcome ? report::si_cell(outcome->seconds, "s") : Cell("-", ""));
    row.emplace_back(planned.words.empty() ? "" : command_of(planned));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace rooflab::study
