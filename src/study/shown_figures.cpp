// Figures of cases as cells for people, with the mark of those that do not fit on their device.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/format.hpp"
#include "case_selection.hpp"
#include "page_tables.hpp"

namespace rooflab::study {
namespace {

using page::Cell;

/// `12.1 ms (11.8 to 12.6)`: the ends without the unit where it is the value's; a narrow interval
/// as `12.1 ms ±0.3 %`.
std::string text_with_interval(const ShownValue& shown, const Figure& figure) {
  std::string text = shown.text(figure.value);
  if (!figure.low || !figure.high) return text;
  constexpr double narrow = 0.01;
  const double half = std::max(*figure.high - figure.value, figure.value - *figure.low);
  if (half <= narrow * std::abs(figure.value)) {
    return format("{} ±{:.2g} %", text, 100.0 * half / std::abs(figure.value));
  }
  const auto unit_of = [](std::string_view of) {
    const std::size_t blank = of.find(' ');
    return blank == std::string_view::npos ? std::string_view() : of.substr(blank);
  };
  std::string low = shown.text(*figure.low);
  std::string high = shown.text(*figure.high);
  const std::string_view unit = unit_of(text);
  if (unit_of(low) == unit && unit_of(high) == unit) {
    low.resize(low.size() - unit.size());
    high.resize(high.size() - unit.size());
  }
  return format("{} ({} to {})", text, low, high);
}

Cell figure_cell(const ShownValue& shown, const Figure& figure) {
  Cell cell = {text_with_interval(shown, figure), format("{}", figure.value)};
  if (figure.low && figure.high) cell.interval = {*figure.low, *figure.high};
  return cell;
}

/// Whether a quantity is of a step that runs, not of what it would do.
bool is_of_running(const Quantity& quantity) {
  constexpr std::array<std::string_view, 5> units = {"s", "FLOP/s", "samples/s", "J", "W"};
  return std::ranges::find(units, quantity.unit()) != units.end();
}

}  // namespace

Cell figure_cell(const StudyCase& study_case, const ShownValue& value,
                 std::span<const StudyCase> cases) {
  const std::optional<Figure> figure = value.of(study_case, cases);
  if (!figure) return {"-", ""};
  Cell cell = figure_cell(value, *figure);
  if (is_misfit(study_case, value)) cell.text += misfit_mark;
  return cell;
}

Cell figure_cell(const StudyCase& study_case, std::string_view quantity) {
  return figure_cell(study_case, ShownValue::of_quantity(*find_quantity(quantity)), {});
}

bool is_misfit(const StudyCase& study_case, const ShownValue& value) {
  return std::ranges::any_of(value.quantities(), [&study_case](const std::string& quantity) {
    return is_misfit(study_case, quantity);
  });
}

bool is_misfit(const StudyCase& study_case, std::string_view quantity) {
  const Figure* const needed = study_case.find("total_memory");
  const Figure* const there = study_case.find("device_memory");
  return study_case.attribute("mode") == "predict" && study_case.find(quantity) != nullptr &&
         is_of_running(*find_quantity(quantity)) && needed != nullptr && there != nullptr &&
         needed->value > there->value;
}

void add_misfit_notes(page::PageSection& section, std::span<const StudyCase* const> cases,
                      std::span<const ShownValue> values) {
  constexpr std::size_t most = 8;
  std::vector<std::string> notes;
  for (const StudyCase* each : cases) {
    const auto is_marked = [each](const ShownValue& value) { return is_misfit(*each, value); };
    if (std::ranges::none_of(values, is_marked)) continue;
    std::string note =
        format("{}: needs {} of {}, its time is of a device with more", title_of(*each),
               figure_cell(*each, "total_memory").text, figure_cell(*each, "device_memory").text);
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  const std::size_t more = notes.size() - std::min(notes.size(), most);
  notes.resize(notes.size() - more);
  if (more > 0) notes.push_back(format("so it is with {} more", more));
  for (std::string& note : notes) {
    page::add_once(section.notes, std::move(note));
  }
}

}  // namespace rooflab::study
