#include "rooflab/report/report_view.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "cells.hpp"
#include "counted_section.hpp"
#include "page_parts.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/quotient.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/import_view.hpp"
#include "rooflab/report/measure_view.hpp"
#include "rooflab/report/monitor_view.hpp"
#include "rooflab/report/predict_view.hpp"
#include "rooflab/report/scaling_view.hpp"
#include "rooflab/report/training_view.hpp"
#include "row_table.hpp"
#include "trace_tables.hpp"

namespace rooflab::report {
namespace {

using analyze::CaseResult;
using analyze::ImportedCase;
using analyze::MeasuredCase;
using analyze::ResultSet;

constexpr std::string_view training_heading = "Training";
constexpr std::string_view scaling_heading = "Scaling";

std::string setting_of(std::string_view model, std::int64_t batch, Phase phase,
                       Precision precision) {
  return format("{}, batch {}, {}, {}", model, batch, name_of(phase), name_of(precision));
}

/// Expected time, low and high of a prediction; dashes without a prediction or an interval.
std::vector<Cell> predicted_cells(const CaseResult* result) {
  if (result == nullptr) return {dash(), dash(), dash()};
  const bool interval = result->has_interval();
  return {seconds_cell(result->predicted_time()),
          seconds_cell(interval ? std::optional(result->prediction->low) : std::nullopt),
          seconds_cell(interval ? std::optional(result->prediction->high) : std::nullopt)};
}

std::vector<Cell> result_row(const CaseResult& result) {
  const std::optional<double> limit =
      result.limit.time ? std::optional(result.limit.time->value) : std::nullopt;
  const std::optional<double> time =
      result.predicted_time() ? std::optional(result.predicted_time()->value) : limit;
  const double flops = result.limit.flops().as_double();
  const std::vector<Cell> predicted = predicted_cells(&result);
  return {result.predicted_time() ? "predicted" : "limit",
          setting_of(result.model, result.batch, result.phase, result.precision),
          result.device.id,
          dash(),
          predicted[0],
          predicted[1],
          predicted[2],
          optional_si_cell(limit, "s"),
          dash(),
          si_cell(flops, "FLOP"),
          optional_si_cell(quotient(flops, time), "FLOP/s"),
          optional_number(result.limit.intensity()),
          si_cell(result.memory.total.as_double(), "B"),
          result.fit ? Cell(std::string(name_of(result.fit->verdict))) : dash(),
          ""};
}

std::vector<Cell> result_row(const MeasuredCase& measured, const CaseResult* prediction) {
  const record::CaseIdentity& identity = measured.record.identity;
  const bool modelled = measured.model.has_value();
  const std::vector<Cell> predicted = predicted_cells(prediction);
  return {
      "measured",
      setting_of(identity.model, identity.batch, identity.phase, identity.precision),
      device_of(measured.record),
      seconds_cell(measured.median_s()),
      predicted[0],
      predicted[1],
      predicted[2],
      seconds_cell(measured.limit_s()),
      factor_cell(measured.limit_ratio()),
      modelled ? si_cell(measured.model->limit.flops().as_double(), "FLOP") : dash(),
      optional_si_cell(measured.flop_per_s(), "FLOP/s"),
      modelled ? optional_number(measured.model->limit.intensity()) : dash(),
      optional_si_cell(
          measured.record.memory ? as_double(measured.record.memory->allocated_peak) : std::nullopt,
          "B"),
      std::string(name_of(measured.record.status)),
      measured.source};
}

std::vector<Cell> result_row(const ImportedCase& imported) {
  const record::KernelSums& totals = imported.totals;
  std::optional<double> time_s = totals.at(record::KernelFigure::time_s);
  if (imported.trace) {
    const double step_ns = imported.trace->ours.breakdown.mean.total_ns;
    time_s = step_ns > 0.0 ? std::optional(step_ns * seconds_per_ns) : std::nullopt;
  }
  const bool profiled = imported.record.counting.has_value();
  const bool steps = imported.trace && imported.trace->ours.steps.marked;
  return {profiled         ? "profile, a step"
          : steps          ? "trace, a step"
          : imported.trace ? "trace"
                           : "counters",
          imported.record.identity.model,
          device_of(imported.record),
          optional_si_cell(time_s, "s"),
          dash(),
          dash(),
          dash(),
          dash(),
          dash(),
          optional_si_cell(totals.at(record::KernelFigure::flops), "FLOP"),
          optional_si_cell(totals.at(record::KernelFigure::flops_per_s), "FLOP/s"),
          optional_number(totals.at(record::KernelFigure::intensity)),
          dash(),
          std::string(name_of(imported.record.status)),
          imported.source};
}

/// The words of the table of results, for readers who open the list.
PageDetail meaning_of_words(bool predicted) {
  Table words{.columns = {{"word", "word", Align::left}, {"meaning", "meaning", Align::left}}};
  words.rows = {
      {"limit", "each op at the device's roofline, summed: a bound, not a prediction"},
      {"measured", "the median time of whole steps; FLOPs and bytes are modelled"},
      {"counters",
       "sums over kernels: FLOPs and DRAM bytes that the hardware counted, times of a"
       " profiled run"},
      {"profile", "the same for one step; the times come from steps without counters"},
      {"trace", "the mean step, or the whole trace"},
      {"FLOP/s", "FLOPs over the measured time, else over the predicted one, else over the limit"}};
  if (predicted) {
    words.rows.push_back({"predicted",
                          "the expected time; in 90 % of cases the measured time lies between low"
                          " and high"});
  }
  return {.heading = "What the words mean", .table = std::move(words)};
}

PageSection result_section(const ResultSet& results) {
  Table table;
  table.columns = {{"kind", "kind", Align::left},
                   {"what", "case", Align::left},
                   {"device", "device", Align::left},
                   {"time_s", "time"},
                   {"predicted_s", "predicted"},
                   {"low_s", "low"},
                   {"high_s", "high"},
                   {"limit_s", "limit"},
                   {"ratio", "ratio"},
                   {"flops", "FLOP"},
                   {"flops_per_s", "FLOP/s"},
                   {"intensity", "FLOP/B"},
                   {"memory_bytes", "memory"},
                   {"status", "status", Align::left},
                   {"source", "file", Align::left}};
  for (const CaseResult& result : results.predictions) table.rows.push_back(result_row(result));
  for (const MeasuredCase& measured : results.measured) {
    table.rows.push_back(result_row(measured, results.prediction_of(measured)));
  }
  for (const ImportedCase& each : results.imported) table.rows.push_back(result_row(each));
  PageSection section{.heading = "Results"};
  if (table.rows.empty()) return section;
  hide_without_figures(table, {"predicted_s", "low_s", "high_s"});
  const bool predicted =
      !std::ranges::find(table.columns, "predicted_s", &Column::key)->only_in_csv;
  section.tables.push_back(std::move(table));
  section.details.push_back(meaning_of_words(predicted));
  if (std::string note = results.agreement(); !note.empty()) {
    section.notes.push_back(std::move(note));
  }
  return section;
}

/// What the mean step of each trace went to.
PageSection trace_step_section(const ResultSet& results) {
  PageSection section{.heading = "Steps of traces"};
  for (const ImportedCase& imported : results.imported) {
    if (!imported.trace) continue;
    const trace::RoleTimes& mean = imported.trace->ours.breakdown.mean;
    PageBar bar{.label = imported.title, .text = si(mean.total_ns * seconds_per_ns, "s")};
    for (std::size_t i = 0; i < mean.role_ns.size(); ++i) {
      if (mean.role_ns[i] <= 0.0) continue;
      bar.parts.push_back({std::string(enum_names<trace::StepRole>[i]), mean.role_ns[i],
                           si(mean.role_ns[i] * seconds_per_ns, "s")});
    }
    section.bars.push_back(std::move(bar));
  }
  return section;
}

/// Its kernels as a bar: the longest few and the rest.
PageBar kernel_bar(const ImportedCase& imported) {
  constexpr std::size_t most_parts = 7;
  const std::span kernels(imported.kernels);
  PageBar bar{.label = "kernels", .text = si(analyze::rest_s(kernels, 0), "s")};
  const auto add = [&bar](std::string name, double time_s) {
    bar.parts.push_back({std::move(name), time_s, si(time_s, "s")});
  };
  for (const analyze::KernelGroup& group : kernels.first(std::min(most_parts, kernels.size()))) {
    // Names that differ only far behind their beginning are told apart by their rank.
    std::string name = name_cell(group.name).text;
    const bool known =
        std::ranges::any_of(bar.parts, [&](const PageBarPart& part) { return part.name == name; });
    if (known) name += format(" (#{})", bar.parts.size() + 1);
    add(std::move(name), group.time_s);
  }
  const double rest_s = analyze::rest_s(kernels, most_parts);
  if (rest_s > 0.0) add("other kernels", rest_s);
  return bar;
}

PageSection memory_section(const ResultSet& results) {
  Table table;
  table.columns = {{"what", "case", Align::left},
                   {"kind", "kind", Align::left},
                   {"parameters_bytes", "parameters"},
                   {"gradients_bytes", "gradients"},
                   {"optimizer_bytes", "optimizer"},
                   {"saved_bytes", "saved"},
                   {"allocated_peak_bytes", "allocated peak"},
                   {"reserved_bytes", "reserved"},
                   {"device_bytes", "device memory"}};
  const auto cell = [](const std::optional<Bytes>& bytes) {
    return optional_si_cell(as_double(bytes), "B");
  };
  const auto add_model = [&](const CaseResult& result) {
    const predict::MemoryEstimate& memory = result.memory;
    table.rows.push_back({setting_of(result.model, result.batch, result.phase, result.precision),
                          "predicted", cell(memory.parameters), cell(memory.gradients),
                          cell(memory.optimizer), cell(memory.saved_activations),
                          cell(memory.allocated_peak), cell(memory.reserved),
                          cell(memory.context ? std::optional(memory.total) : std::nullopt)});
  };
  for (const CaseResult& result : results.predictions) add_model(result);
  for (const MeasuredCase& measured : results.measured) {
    if (measured.model) add_model(*measured.model);
    if (!measured.record.memory) continue;
    const record::MemoryUse& memory = *measured.record.memory;
    const record::CaseIdentity& identity = measured.record.identity;
    table.rows.push_back(
        {setting_of(identity.model, identity.batch, identity.phase, identity.precision), "measured",
         dash(), dash(), dash(), cell(memory.saved), cell(memory.allocated_peak),
         cell(memory.reserved_peak), cell(memory.device_used)});
  }
  PageSection section{.heading = "Memory"};
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  constexpr chart::Size low = {1200, 420};
  for (const ImportedCase& imported : results.imported) {
    if (!imported.trace) continue;
    for (chart::Chart& chart : memory_charts(imported)) {
      section.charts.push_back({"", std::move(chart), low});
    }
  }
  return section;
}

/// What makes the result once more: ours, not the profiled program's own command line.
std::string command_of(const ImportedCase& imported) {
  const std::string& command = imported.record.identity.command;
  return command.starts_with("rooflab ") ? command : format("rooflab import {}", imported.source);
}

PageSection imported_section(const ImportedCase& imported) {
  PageSection section{.heading = imported.title};
  if (!imported.kernels.empty() && imported.kernels.front().time_s > 0.0) {
    section.bars.push_back(kernel_bar(imported));
  }
  if (imported.trace) {
    section.tables = trace_tables(imported, 0);
  } else if (!imported.kernels.empty()) {
    section.tables.push_back(import_totals_table({&imported, 1}));
    section.tables.push_back(kernel_table(imported, 0));
  }
  section.notes = import_notes(imported);
  section.command = command_of(imported);
  return section;
}

std::string ranks_title(const record::ScaleRun& run) {
  return format("{}, {} devices", title_of(run.identity), run.ranks_wanted);
}

PageSection layer_section(const ResultSet& results) {
  PageSection section{.heading = "Layers and environment"};
  const auto add_environment = [&](const std::string& what, const record::Environment& environment,
                                   const std::string& command) {
    section.details.push_back(
        {format("{}: environment", what), facts_table(to_json(environment)), {}, command});
  };
  for (const CaseResult& result : results.predictions) {
    section.details.push_back({format("{}: limits", case_title(result)), layer_limit_table(result),
                               texts_of(result.notes), result.command});
  }
  for (const MeasuredCase& measured : results.measured) add_details(section, measured);
  for (const ImportedCase& imported : results.imported) {
    add_environment(imported.title, imported.record.environment, "");
  }
  for (const analyze::Recording& each : results.watched) {
    add_environment(each.source, each.record.environment, each.record.identity.command);
  }
  for (const training::NamedTraining& each : results.trainings) {
    add_environment(each.name, each.run.environment, each.run.identity.command);
  }
  for (const record::ScaleRun& run : results.scaled) {
    add_environment(ranks_title(run), run.environment, run.identity.command);
  }
  return section;
}

/// Every warning with what it is about.
PageSection warning_section(const ResultSet& results) {
  PageSection section{.heading = "Warnings"};
  const auto add = [&](const std::string& what, const std::string& text) {
    section.notes.push_back(format("{}: {}", what, text));
  };
  for (const CaseResult& result : results.predictions) {
    for (const std::string& note : texts_of(result.notes)) add(case_title(result), note);
  }
  for (const MeasuredCase& measured : results.measured) {
    const std::string what = title_of(measured.record.identity);
    if (!measured.record.message.empty()) {
      add(what, format("{}: {}", name_of(measured.record.status), measured.record.message));
    }
    for (const std::string& warning : texts_of(measured.warnings)) {
      add(what, format("suspect: {}", warning));
    }
    for (const std::string& note : texts_of(measured.notes)) add(what, note);
  }
  for (const ImportedCase& imported : results.imported) {
    for (const std::string& note : import_warnings(imported)) add(imported.title, note);
    if (imported.device_note) add(imported.title, imported.device_note->text());
  }
  for (const analyze::Recording& each : results.watched) {
    for (const std::string& warning : texts_of(each.record.warnings)) add(each.source, warning);
  }
  return section;
}

PageSection command_section(const ResultSet& results) {
  Table table;
  table.columns = {{"what", "result", Align::left}, {"command", "command line", Align::left}};
  const auto add = [&](std::string what, std::string command) {
    if (!command.empty()) table.rows.push_back({std::move(what), std::move(command)});
  };
  for (const CaseResult& result : results.predictions) add(case_title(result), result.command);
  for (const MeasuredCase& measured : results.measured) {
    add(title_of(measured.record.identity), measured.record.identity.command);
  }
  for (const ImportedCase& imported : results.imported) {
    add(imported.title, command_of(imported));
  }
  for (const analyze::Recording& each : results.watched) {
    add(each.source, each.record.environment.command);
  }
  for (const training::NamedTraining& each : results.trainings) {
    add(each.name, each.run.identity.command);
  }
  for (const record::ScaleRun& run : results.scaled) {
    add(ranks_title(run), run.identity.command);
  }
  PageSection section{.heading = "Command lines"};
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  return section;
}

/// Another document's cards, and its sections with `heading` before theirs.
void add_document(Document& document, Document other, std::string_view heading) {
  std::ranges::move(other.cards, std::back_inserter(document.cards));
  for (PageSection& section : other.sections) {
    section.heading = format("{}: {}", heading, lowercase(section.heading));
    document.sections.push_back(std::move(section));
  }
}

/// Whose notes are more than captions of what stands there.
bool has_findings(const PageSection& section) {
  return section.heading == "Warnings" || section.heading == "Results" ||
         section.heading.starts_with(training_heading) ||
         section.heading.starts_with(scaling_heading);
}

}  // namespace

Document report_view(const ResultSet& results, std::string command, std::size_t top) {
  Document document;
  document.title = "Rooflab: report";
  document.subtitle =
      "Limits, measurements, counters and traces side by side. Points on the rooflines tell by "
      "their"
      " shape what of them was measured.";
  document.command = std::move(command);
  for (const CaseResult& result : results.predictions) document.cards.push_back(card_of(result));
  for (const MeasuredCase& measured : results.measured) document.cards.push_back(card_of(measured));
  for (const ImportedCase& imported : results.imported) document.cards.push_back(card_of(imported));

  document.sections = {result_section(results),
                       roofline_section(results.predictions, results.measured, results.imported),
                       counted_section(results.measured),
                       class_section(results.measured),
                       prediction_section(results.predictions),
                       trace_step_section(results),
                       step_section(results.measured),
                       memory_section(results)};
  if (results.job) {
    PageSection ranks{.heading = "Ranks"};
    ranks.tables.push_back(job_table(*results.job, results.imported));
    document.sections.push_back(std::move(ranks));
  }
  for (const ImportedCase& imported : results.imported) {
    document.sections.push_back(imported_section(imported));
  }
  for (PageSection& section : sample_sections(results.measured)) {
    document.sections.push_back(std::move(section));
  }
  for (const analyze::Recording& each : results.watched) {
    add_document(document, monitor_view(each.record, ""),
                 std::filesystem::path(each.source).filename().string());
  }
  if (!results.trainings.empty()) {
    add_document(document, training_view(training::summarize_training(results.trainings)),
                 training_heading);
  }
  if (!results.scaled.empty()) {
    add_document(document, scaling_view(analyze::scaling_of(results.scaled), "scale", ""),
                 scaling_heading);
  }
  document.sections.push_back(layer_section(results));
  document.sections.push_back(warning_section(results));
  document.sections.push_back(command_section(results));
  for (PageSection& section : document.sections) section.captions = !has_findings(section);
  document.most_rows = top;
  show_all_tables(document, "report");
  return document;
}

}  // namespace rooflab::report
