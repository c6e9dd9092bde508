#include "page_tables.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "case_selection.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/study/quantity.hpp"

namespace rooflab::study {
namespace {

using report::Align;
using report::Cell;
using report::Column;
using report::Table;
using CaseList = std::vector<const StudyCase*>;

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
  return std::ranges::find(units, quantity.unit) != units.end();
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
  for (const std::string& key : keys) table.columns.push_back(left_column(key, key));
  for (const std::string& name : quantities)
    table.columns.push_back(right_column(name, title_of(name)));
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
  table.columns.push_back(left_column("case", "case"));
  for (const std::string& name : quantities) {
    for (const std::string& value : values) {
      const std::string of = value.empty() ? "no " + beside : value;
      table.columns.push_back(
          right_column(format("{}_{}", name, of), format("{}, {}", title_of(name), of)));
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
constexpr std::array<Subject, 10> subjects = {Subject{"parameters", "work"},
                                              Subject{"time", "time"},
                                              Subject{"memory", "memory"},
                                              Subject{"counted_flops", "hardware counters"},
                                              Subject{"energy", "energy and load"},
                                              Subject{"gpus", "several devices"},
                                              Subject{"accuracy", "training and variation"},
                                              Subject{"largest", "what fits"},
                                              Subject{"bandwidth", "roofs"},
                                              Subject{"estimated_time", "estimates"}};

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
    if (subject != subjects.end()) chapters.push_back({format("Figures: {}", subject->title), {}});
    if (std::ranges::find(names, quantity.name) != names.end()) {
      chapters.back().quantities.emplace_back(quantity.name);
    }
  }
  std::erase_if(chapters, [](const Chapter& each) { return each.quantities.empty(); });
  return chapters;
}

}  // namespace

Column left_column(std::string key, std::string title) {
  Column column = right_column(std::move(key), std::move(title));
  column.align = Align::left;
  return column;
}

Column right_column(std::string key, std::string title) {
  Column column;
  column.key = std::move(key);
  column.title = std::move(title);
  return column;
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
    if (std::ranges::find(section.notes, note) == section.notes.end()) {
      section.notes.push_back(std::move(note));
    }
  }
}

void add_wished(report::PageSection& section, const TableWish& wish,
                std::span<const StudyCase> cases) {
  const CaseList list = having(cases, wish.where, wish.values);
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
    std::ranges::copy_if(own, std::back_inserter(list), [&](const StudyCase* each) {
      return std::ranges::any_of(chapter.quantities, [each](const std::string& name) {
        return each->find(name) != nullptr;
      });
    });
    section.tables.push_back(plain_table(list, telling_attributes(own), chapter.quantities));
    section.tables.back().title = chapter.title;
  }
  add_misfit_notes(section, own, names);
}

Table case_table(const StudyResults& results) {
  Table table;
  table.title = "Cases";
  table.columns = {left_column("id", "case"),       left_column("asked", "asked for"),
                   left_column("done", "done"),     left_column("outcome", "outcome"),
                   right_column("seconds", "took"), left_column("command", "command")};
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
