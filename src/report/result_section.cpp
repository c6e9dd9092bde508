#include "result_section.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "case_words.hpp"
#include "describe/json_fields.hpp"
#include "page/joined_row.hpp"
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

// Rows of the table of results. What a kind of result does not have is null: a figure of that name
// within the result would be another one.

page::JoinedRow result_row(const CaseResult& result) {
  const auto time = result.predicted_time() ? result.predicted_time() : result.limit.time;
  const double flops = result.limit.flops().as_double();
  const auto time_s = time ? std::optional(time->value) : std::nullopt;
  page::JoinedRow row;
  row.own("kind", result.predicted_time() ? "predicted" : "limit")
      .own("what", setting_of(result))
      .own("time_s", Json())
      .own("limit_ratio", Json())
      .own("flop_per_s", quotient(flops, time_s))
      .own("status", result.fit ? Json(name_of(result.fit->verdict)) : Json())
      .own("source", "")
      .of(result);
  return row;
}

page::JoinedRow result_row(const MeasuredCase& measured, const CaseResult* prediction) {
  const record::CaseIdentity& identity = measured.record.identity;
  const bool interval = prediction != nullptr && prediction->has_interval();
  page::JoinedRow row;
  row.own("kind", kind_of(measured))
      .own("what", setting_of(identity))
      .own("device", device_of(measured.record))
      .own("status", measured.status_word())
      .own("time_s", measured.median_s())
      .own("predicted_s", prediction == nullptr ? std::nullopt : prediction->predicted_time())
      .own("predicted_low_s", interval ? Json(prediction->prediction->low.value) : Json())
      .own("predicted_high_s", interval ? Json(prediction->prediction->high.value) : Json())
      .own("source", measured.source);
  // The model's figures, else the counted ones.
  if (measured.counted && !measured.model) {
    row.of(measured.counted->total.sums);
  } else {
    row.own("flop_per_s", measured.flop_per_s());
  }
  if (measured.model) row.of(analyze::limit_fields(), &measured).of(measured.model->limit);
  return row.of(measured.record.memory);
}

page::JoinedRow result_row(const ImportedCase& imported) {
  const bool profiled = imported.record.counting.has_value();
  const bool steps = imported.trace && imported.trace->ours.steps.marked;
  page::JoinedRow row;
  row.own("kind", imported.sampled ? "sampled over time"
                  : profiled       ? "profile, a step"
                  : steps          ? "trace, a step"
                  : imported.trace ? "trace"
                                   : "counters")
      .own("what", imported.record.identity.model)
      .own("device", device_of(imported.record))
      .own("status", imported.record.status)
      .own("source", imported.source)
      .of(imported.totals);
  if (imported.trace) {
    const double step_ns = imported.trace->ours.breakdown.mean.total_ns;
    row.own("time_s", step_ns > 0.0 ? Json(step_ns * seconds_per_ns) : Json());
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
  std::vector<page::JoinedRow> rows;
  for (const CaseResult& result : results.predictions) rows.push_back(result_row(result));
  for (const MeasuredCase& measured : results.measured) {
    rows.push_back(result_row(measured, results.prediction_of(measured)));
  }
  for (const ImportedCase& each : results.imported) rows.push_back(result_row(each));
  for (page::JoinedRow& row : rows) {  // each kind of result has some columns alone
    row.without<CaseResult, record::KernelSums>().of(analyze::limit_fields(), nullptr);
  }
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
