#include "result_section.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "case_words.hpp"
#include "describe/json_fields.hpp"
#include "page/row_table.hpp"
#include "page_parts.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"
#include "trace_tables.hpp"

namespace rooflab::report {

std::string_view kind_of(const analyze::MeasuredCase& measured) {
  return measured.counted ? "measured, with counters" : "measured";
}

namespace {

using analyze::CaseResult;
using analyze::ImportedCase;
using analyze::MeasuredCase;
using analyze::ResultSet;

template <class Value>
Json json_of(const Value& value) {
  return codec::encode(value);
}

// Rows of the table of results. What a kind of result does not have is null: a figure of that name
// within the result would be another one.

Json result_row(const CaseResult& result) {
  const auto time = result.predicted_time() ? result.predicted_time() : result.limit.time;
  const double flops = result.limit.flops().as_double();
  Json row = to_json(result);
  row.update(
      {{"kind", result.predicted_time() ? "predicted" : "limit"},
       {"what", setting_of(result)},
       {"time_s", nullptr},
       {"limit_ratio", nullptr},
       {"flop_per_s", json_of(quotient(flops, time ? std::optional(time->value) : std::nullopt))},
       {"status", row["verdict"]},
       {"source", ""}});
  return row;
}

Json result_row(const MeasuredCase& measured, const CaseResult* prediction) {
  const record::CaseIdentity& identity = measured.record.identity;
  const bool interval = prediction != nullptr && prediction->has_interval();
  Json row = to_json(measured);
  // The model's figures, else the counted ones.
  if (const Json limit = row["limit"]; !limit.is_null()) {
    row.update(limit);
  } else if (const Json counted = row["counters"]; !counted.is_null()) {
    row.update(counted["totals"]);
  }
  row.update(
      {{"kind", kind_of(measured)},
       {"what", setting_of(identity)},
       {"device", device_of(measured.record)},
       {"status", measured.status_word()},
       {"time_s", json_of(measured.median_s())},
       {"predicted_s", prediction == nullptr ? Json() : json_of(prediction->predicted_time())},
       {"predicted_low_s", interval ? json_of(prediction->prediction->low) : Json()},
       {"predicted_high_s", interval ? json_of(prediction->prediction->high) : Json()},
       {"source", measured.source}});
  return row;
}

Json result_row(const ImportedCase& imported) {
  const bool profiled = imported.record.counting.has_value();
  const bool steps = imported.trace && imported.trace->ours.steps.marked;
  Json row = to_json(imported.totals);
  row.update({{"kind", imported.sampled ? "sampled over time"
                       : profiled       ? "profile, a step"
                       : steps          ? "trace, a step"
                       : imported.trace ? "trace"
                                        : "counters"},
              {"what", imported.record.identity.model},
              {"device", device_of(imported.record)},
              {"status", name_of(imported.record.status)},
              {"source", imported.source}});
  if (imported.trace) {
    const double step_ns = imported.trace->ours.breakdown.mean.total_ns;
    row.update({{"time_s", step_ns > 0.0 ? Json(step_ns * seconds_per_ns) : Json()}});
  }
  return row;
}

/// The words of the table of results, for readers who open the list.
page::PageDetail meaning_of_words(bool predicted) {
  page::Table words{
      .columns = {{"word", "word", page::Align::left}, {"meaning", "meaning", page::Align::left}}};
  words.columns.back().shrinks = true;
  words.rows = {
      {"limit", "each op at the device's roofline, summed: a bound, not a prediction"},
      {"measured", "the median time of whole steps; FLOPs and bytes are modelled"},
      {"counters",
       "sums over kernels: FLOPs and DRAM bytes that the hardware counted, times of a"
       " profiled run"},
      {"profile", "the same for one step; the times come from steps without counters"},
      {"trace", "the mean step, or the whole trace"},
      {"allocated peak",
       "most that tensors and workspaces take at once; reserved and device memory "
       "are in the table of the memory"},
      {"FLOP/s", "FLOPs over the measured time, else over the predicted one, else over the limit"}};
  if (predicted) {
    words.rows.push_back({"predicted",
                          "the expected time; in 90 % of cases the measured time lies between low"
                          " and high"});
  }
  return {.heading = "What the words mean", .table = std::move(words)};
}

}  // namespace

page::PageSection result_section(const ResultSet& results) {
  static constexpr auto columns = page::columns_of(
      page::titled("kind", "kind"), page::titled("what", "case"), "device", "time_s",
      page::if_known("predicted_s"), page::if_known("predicted_low_s"),
      page::joined(page::if_known("predicted_high_s")), page::if_known("limit_s"),
      page::if_known("limit_ratio"), page::bounded(page::beside_text("flop"), "collected_flop"),
      page::bounded(page::if_known("flop_per_s"), "collected_flop_per_s"),
      page::bounded(page::beside_text("intensity_flop_per_byte"),
                    "collected_intensity_flop_per_byte"),
      page::if_known("allocated_peak_bytes"), "status",
      page::shrinking(page::titled("source", "file")));
  std::vector<Json> rows;
  for (const CaseResult& result : results.predictions) rows.push_back(result_row(result));
  for (const MeasuredCase& measured : results.measured) {
    rows.push_back(result_row(measured, results.prediction_of(measured)));
  }
  for (const ImportedCase& each : results.imported) rows.push_back(result_row(each));
  page::PageSection section{.heading = std::string(results_heading)};
  if (rows.empty()) return section;
  const page::Table& table = section.tables.emplace_back(page::table_of(rows, columns));
  const bool predicted =
      !std::ranges::find(table.columns, "predicted_s", &page::Column::key)->only_in_csv;
  section.details.push_back(meaning_of_words(predicted));
  if (std::string note = results.agreement(); !note.empty()) {
    section.notes.push_back(std::move(note));
  }
  return section;
}

}  // namespace rooflab::report
