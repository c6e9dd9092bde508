#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "page_tables.hpp"
#include "report/page_parts.hpp"

namespace rooflab::study {

page::Table case_table(const StudyResults& results) {
  constexpr std::array<std::string_view, 3> shown = {"time", "limit", "memory"};
  page::Table table = table_with(
      "", {left("id", "case"), left("asked", "asked for"), left("done"), left("outcome")});
  for (const std::string_view name : shown) {
    table.columns.push_back(right(std::string(name), std::string(find_quantity(name)->title)));
  }
  const bool on_several = std::ranges::any_of(
      results.cases, [](const StudyCase& each) { return !each.attribute("machine").empty(); });
  if (on_several) table.columns.push_back(left("machine"));
  table.columns.push_back(right("seconds", "took"));
  table.columns.push_back(left("command"));
  for (std::size_t i = 0; i < results.plan.size(); ++i) {
    const PlannedCase& planned = results.plan[i];
    const std::optional<CaseOutcome>& outcome = results.outcomes[i];
    const StudyCase& each = results.cases[i];
    std::string said = each.reason.empty() ? "done" : each.reason;
    if (!planned.note.empty()) said += format(" ({})", planned.note);
    std::vector<page::Cell> row = {
        planned.id, std::string(name_of(planned.asked)),
        planned.skipped.empty() ? std::string(name_of(planned.mode)) : "-", said};
    for (const std::string_view name : shown) row.push_back(figure_cell(each, name));
    if (on_several) row.emplace_back(std::string(each.attribute("machine")));
    row.push_back(outcome ? page::si_cell(outcome->seconds, "s") : page::Cell("-", ""));
    row.emplace_back(planned.words.empty() ? "" : command_of(planned));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace rooflab::study
