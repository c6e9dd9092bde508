// What partition cut, stage by stage, as its JSON has it.

#include <utility>

#include "json_part.hpp"
#include "page_tables.hpp"
#include "rooflab/base/format.hpp"

namespace rooflab::study {
namespace {

using report::Cell;

Cell cell_of(const Json& stage, FigureKey key, std::string_view unit) {
  return report::optional_si_cell(number_of(stage, key), unit);
}

report::Table stage_table(const PlannedCase& planned, const Json& stages) {
  report::Table table;
  table.title = format("Stages of {}", planned.id);
  table.columns = {left_column("device", "device"),
                   left_column("first", "from"),
                   left_column("last", "to"),
                   right_column("predicted_s", "predicted time"),
                   right_column("median_s", "measured time"),
                   right_column("received_bytes", "receives"),
                   right_column("transfer_s", "predicted transfer"),
                   right_column("measured_transfer_s", "measured transfer"),
                   right_column("allocated_peak_bytes", "predicted memory"),
                   right_column("measured_allocated_peak_bytes", "measured memory")};
  for (const Json& stage : stages) {
    table.rows.push_back({string_of(stage, "device"), string_of(stage, "first"),
                          string_of(stage, "last"), cell_of(stage, "predicted_s", "s"),
                          cell_of(stage, "median_s", "s"), cell_of(stage, "received_bytes", "B"),
                          cell_of(stage, "transfer_s", "s"),
                          cell_of(stage, "measured_transfer_s", "s"),
                          cell_of(part(stage, "memory"), "allocated_peak_bytes", "B"),
                          cell_of(stage, "measured_allocated_peak_bytes", "B")});
  }
  return table;
}

}  // namespace

void add_stages(report::PageSection& section, const StudyResults& results) {
  for (std::size_t i = 0; i < results.plan.size(); ++i) {
    const PlannedCase& planned = results.plan[i];
    if (planned.mode != Mode::partition || !results.outcomes[i]) continue;
    const Json& stages = list_of(part(results.outcomes[i]->result, "plan"), "stages");
    if (!stages.empty()) section.tables.push_back(stage_table(planned, stages));
  }
  if (section.tables.empty()) return;
  section.notes.push_back(
      "Memory: the most that tensors and workspaces hold. Transfer: what a stage receives.");
}

}  // namespace rooflab::study
