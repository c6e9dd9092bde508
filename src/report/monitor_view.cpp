#include <algorithm>

#include "base/format.hpp"
#include "describe/schema.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"
#include "rooflab/record/sample.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using record::Sample;
using record::SampleSeries;
using record::SampleSummary;

std::vector<page::Table> summary_tables(const std::vector<SampleSummary>& summaries) {
  std::vector<SampleSummary> devices;
  std::vector<SampleSummary> processes;
  for (const SampleSummary& each : summaries) {
    (each.is_process() ? processes : devices).push_back(each);
  }
  std::vector<page::Table> tables;
  if (!devices.empty()) {
    tables.push_back(page::table_of<SampleSummary>(
        devices, page::columns_of("device", "name", "duration_s", "sample_count",
                                  "mean_core_utilization_share", "mean_memory_utilization_share",
                                  "mean_memory_used_bytes", "highest_memory_used_bytes",
                                  "mean_power_w", "highest_power_w", "counted_energy_j",
                                  "mean_sm_clock_hz", "highest_temperature_c", "throttled_by")));
  }
  if (!processes.empty()) {
    tables.push_back(page::table_of<SampleSummary>(
        processes, page::columns_of("device", page::titled("name", "command"), "duration_s",
                                    "sample_count", "task_clock_s", "cores_busy",
                                    "mean_resident_bytes", "highest_resident_bytes")));
  }
  return tables;
}

page::Remarks notes_of(const record::Record& record, const std::vector<SampleSummary>& summaries) {
  page::Remarks notes;
  if (std::ranges::any_of(summaries, [](const auto& each) { return !each.is_process(); })) {
    notes.emplace_back(
        "Means over time. Core: share of time in which at least one kernel ran, however little of "
        "the device it used; memory: in which device memory was read or written. Used: of the "
        "whole device, all processes.");
  }
  if (std::ranges::any_of(summaries, [](const auto& each) { return each.energy_j.has_value(); })) {
    notes.emplace_back(
        "Energy: the device's own counter, last minus first reading; it moves every 20 to 100 ms.");
  }
  if (!record.message.empty()) notes.push_back(record.message);
  std::ranges::move(page::remarks_of(record.warnings), std::back_inserter(notes));
  return notes;
}

std::string answer_of(const SampleSummary& summary) {
  const std::string who = format("{} {}", summary.device, summary.name);
  if (summary.is_process()) {
    return format("{}: {} busy, {} of processor time in {}, at most {} resident.", who,
                  summary.cores_busy ? format("{:.2f} cores", *summary.cores_busy)
                                     : "an unknown number of cores",
                  page::optional_si_cell(summary.task_clock_s, "s").text,
                  si(summary.duration_s, "s"),
                  page::optional_si_cell(record::max_of(summary.resident_bytes), "B").text);
  }
  return format(
      "{}: {} in use, {} on average, {} in {}, at most {} of memory used.", who,
      page::cell_of("core_utilization_share", record::mean_of(summary.core_utilization)).text,
      page::optional_si_cell(record::mean_of(summary.power_w), "W").text,
      summary.energy_j ? si(*summary.energy_j, "J") : "energy not known",
      si(summary.duration_s, "s"),
      page::optional_si_cell(record::max_of(summary.memory_used_bytes), "B").text);
}

}  // namespace

page::Document monitor_view(const record::Record& record, std::string command) {
  std::vector<SampleSummary> summaries;
  for (const SampleSeries& series : record.samples) summaries.push_back(summarize(series));
  const record::Environment& environment = record.environment;
  page::Document document;
  document.title =
      record.identity.model.empty() ? "Monitor" : format("Monitor: {}", record.identity.model);
  document.subtitle =
      format("{} on {}; {} {}", environment.date, environment.host, environment.cpu,
             environment.device.kind == "cuda" ? format("and {}", environment.device.name) : "");
  document.command = std::move(command);
  document.json = file_json(record);
  for (const SampleSummary& each : summaries) document.answer.push_back(answer_of(each));
  document.sections = {{.heading = "Summary",
                        .in_text = true,
                        .tables = summary_tables(summaries),
                        .notes = notes_of(record, summaries)},
                       monitor_section("Over time", record)};
  return document;
}

page::Document samples_view(const record::Record& record) {
  static constexpr FigureKey device = "device";
  std::vector<page::JoinedRow> rows;
  for (const SampleSeries& series : record.samples) {
    for (const Sample& sample : series.samples) {
      rows.emplace_back().own(device, series.device).of(sample);
    }
  }
  page::Document document{.title = "Samples", .json = file_json(record)};
  std::vector<page::FigureColumn> columns = {{device}};
  for (const Field& field : fields_of(For<Sample>{}))
    columns.push_back({FigureKey(*field.figure())});
  document.tables.push_back(page::table_of(rows, columns));
  return document;
}

}  // namespace rooflab::report
