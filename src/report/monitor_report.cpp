#include "rooflab/base/schema.hpp"
#include "rooflab/report/monitor_report.hpp"

#include "cells.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/record_json.hpp"
#include "rooflab/record/sample_summary.hpp"

namespace rooflab::report {
namespace {

using record::Sample;
using record::SampledFigure;
using record::SampleSeries;
using record::SampleSummary;

Cell temperature_cell(const std::optional<SampledFigure>& figure) {
  return figure ? Cell(format("{:g} °C", figure->max), format("{}", figure->max)) : dash();
}

/// `sw_power_cap 85 %, sw_thermal 3 %`; an idle GPU's clocks are not held down.
Cell throttle_cell(const SampleSummary& summary) {
  if (!summary.throttle) return dash();
  std::vector<std::string> parts;
  for (const record::ThrottleShare& share : *summary.throttle) {
    parts.push_back(format("{} {:.0f} %", share.reason, share.share * 100.0));
  }
  return parts.empty() ? Cell("none") : Cell(join(parts, ", "));
}

bool is_process(const SampleSummary& summary) { return summary.device == "cpu"; }

Table device_table(const std::vector<SampleSummary>& summaries) {
  Table table;
  table.columns = {{"device", "device", Align::left},
                   {"name", "name", Align::left},
                   {"duration_s", "time"},
                   {"samples", "samples"},
                   {"mean_core_utilization", "core"},
                   {"mean_memory_utilization", "memory"},
                   {"mean_memory_used_bytes", "used"},
                   {"max_memory_used_bytes", "highest"},
                   {"mean_power_w", "power"},
                   {"max_power_w", "highest"},
                   {"energy_j", "energy"},
                   {"mean_sm_clock_hz", "SM clock"},
                   {"max_temperature_c", "hottest"},
                   {"throttle_reasons", "clocks held down by", Align::left}};
  for (const SampleSummary& summary : summaries) {
    if (is_process(summary)) continue;
    table.rows.push_back({summary.device, summary.name, optional_si_cell(summary.duration_s, "s"),
                          count_cell(static_cast<std::int64_t>(summary.samples)),
                          optional_percent(record::mean_of(summary.core_utilization)),
                          optional_percent(record::mean_of(summary.memory_utilization)),
                          optional_si_cell(record::mean_of(summary.memory_used_bytes), "B"),
                          optional_si_cell(record::max_of(summary.memory_used_bytes), "B"),
                          optional_si_cell(record::mean_of(summary.power_w), "W"),
                          optional_si_cell(record::max_of(summary.power_w), "W"),
                          optional_si_cell(summary.energy_j, "J"),
                          optional_si_cell(record::mean_of(summary.sm_clock_hz), "Hz"),
                          temperature_cell(summary.temperature_c), throttle_cell(summary)});
  }
  return table;
}

Table process_table(const std::vector<SampleSummary>& summaries) {
  Table table;
  table.columns = {{"device", "device", Align::left},
                   {"name", "command", Align::left},
                   {"duration_s", "time"},
                   {"samples", "samples"},
                   {"task_clock_s", "processor time"},
                   {"cores_busy", "cores busy"},
                   {"mean_resident_bytes", "resident"},
                   {"max_resident_bytes", "highest"}};
  for (const SampleSummary& summary : summaries) {
    if (!is_process(summary)) continue;
    table.rows.push_back({summary.device, summary.name, optional_si_cell(summary.duration_s, "s"),
                          count_cell(static_cast<std::int64_t>(summary.samples)),
                          optional_si_cell(summary.task_clock_s, "s"),
                          summary.cores_busy ? Cell(format("{:.2f}", *summary.cores_busy),
                                                    format("{}", *summary.cores_busy))
                                             : dash(),
                          optional_si_cell(record::mean_of(summary.resident_bytes), "B"),
                          optional_si_cell(record::max_of(summary.resident_bytes), "B")});
  }
  return table;
}

std::vector<SampleSummary> summaries_of(const record::Record& record) {
  std::vector<SampleSummary> summaries;
  for (const SampleSeries& series : record.samples) summaries.push_back(record::summarize(series));
  return summaries;
}

void add_notes(const record::Record& record, const std::vector<SampleSummary>& summaries,
               Document& document) {
  bool devices = false;
  bool energy = false;
  for (const SampleSummary& summary : summaries) {
    devices = devices || !is_process(summary);
    energy = energy || summary.energy_j.has_value();
  }
  if (devices) {
    document.notes.emplace_back(
        "Means over time. Core: share of time in which at least one kernel ran, however little of "
        "the device it used; memory: in which device memory was read or written. Used: of the "
        "whole device, all processes.");
  }
  if (energy) {
    document.notes.emplace_back(
        "Energy: the device's own counter, last minus first reading; it moves every 20 to 100 ms.");
  }
  if (!record.message.empty()) document.notes.push_back(record.message);
  for (const std::string& warning : record.warnings) document.notes.push_back(warning);
}

template <class Number>
Cell raw_cell(const std::optional<Number>& value) {
  return value ? Cell(format("{}", *value)) : Cell("");
}

}  // namespace

Document monitor_report(const record::Record& record) {
  Document document;
  document.title =
      record.identity.model.empty() ? "Monitor" : format("Monitor: {}", record.identity.model);
  const std::vector<SampleSummary> summaries = summaries_of(record);
  for (Table table : {device_table(summaries), process_table(summaries)}) {
    if (!table.rows.empty()) document.tables.push_back(std::move(table));
  }
  add_notes(record, summaries, document);
  document.json = file_json(record);
  return document;
}

Document samples_report(const record::Record& record) {
  Document document;
  document.title = "Samples";
  Table table;
  table.columns = {{"device", "device", Align::left}};
  for (const char* key : {"time_s", "core_utilization", "memory_utilization", "memory_used_bytes",
                          "power_w", "energy_j", "sm_clock_hz", "memory_clock_hz", "temperature_c",
                          "throttle_reasons", "task_clock_s", "resident_bytes"}) {
    table.columns.push_back({key, key});
  }
  for (const SampleSeries& series : record.samples) {
    for (const Sample& sample : series.samples) {
      table.rows.push_back(
          {series.device, format("{}", sample.time_s), raw_cell(sample.core_utilization),
           raw_cell(sample.memory_utilization), raw_cell(sample.memory_used_bytes),
           raw_cell(sample.power_w), raw_cell(sample.energy_j), raw_cell(sample.sm_clock_hz),
           raw_cell(sample.memory_clock_hz), raw_cell(sample.temperature_c),
           Cell(sample.throttle_reasons ? join(*sample.throttle_reasons, " ") : ""),
           raw_cell(sample.task_clock_s), raw_cell(sample.resident_bytes)});
    }
  }
  document.tables.push_back(std::move(table));
  document.json = file_json(record);
  return document;
}

Page monitor_page(const record::Record& record, std::string command) {
  Page page;
  Document document = monitor_report(record);
  page.title = document.title;
  page.subtitle = format(
      "{} on {}; {} {}", record.environment.date, record.environment.host, record.environment.cpu,
      record.environment.device.kind == "cuda" ? format("and {}", record.environment.device.name)
                                               : "");
  page.command = std::move(command);
  for (const SampleSummary& summary : summaries_of(record)) {
    PageCard card;
    card.title = format("{} {}", summary.device, summary.name);
    if (is_process(summary)) {
      card.value = summary.cores_busy ? format("{:.2f} cores", *summary.cores_busy) : "-";
      card.remark =
          format("{} of processor time in {}; at most {} resident",
                 optional_si_cell(summary.task_clock_s, "s").text, si(summary.duration_s, "s"),
                 optional_si_cell(record::max_of(summary.resident_bytes), "B").text);
    } else {
      card.value =
          format("{} in use", optional_percent(record::mean_of(summary.core_utilization)).text);
      card.remark = format("{} on average, {} in {}; at most {} used",
                           optional_si_cell(record::mean_of(summary.power_w), "W").text,
                           summary.energy_j ? si(*summary.energy_j, "J") : "energy not known",
                           si(summary.duration_s, "s"),
                           optional_si_cell(record::max_of(summary.memory_used_bytes), "B").text);
    }
    page.cards.push_back(std::move(card));
  }
  constexpr chart::Size low = {1200, 420};
  PageSection overview{.heading = "Summary",
                       .tables = std::move(document.tables),
                       .notes = std::move(document.notes)};
  PageSection over_time{.heading = "Over time"};
  for (chart::Chart& chart : monitor_charts(record)) {
    over_time.charts.push_back({"", std::move(chart), low});
  }
  page.sections = {std::move(overview), std::move(over_time)};
  return page;
}

}  // namespace rooflab::report
