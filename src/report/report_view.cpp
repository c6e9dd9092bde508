#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "base/shell_words.hpp"
#include "case_words.hpp"
#include "class_bar.hpp"
#include "counted_section.hpp"
#include "describe/json_fields.hpp"
#include "model_names.hpp"
#include "modelled_section.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"
#include "page_head.hpp"
#include "page_parts.hpp"
#include "record/record_json.hpp"
#include "result_section.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/report/views.hpp"
#include "samples_section.hpp"
#include "shown_findings.hpp"
#include "step_strips.hpp"
#include "trace_tables.hpp"

namespace rooflab::report {
namespace {

using analyze::CaseResult;
using analyze::ImportedCase;
using analyze::MeasuredCase;
using analyze::ResultSet;

constexpr std::string_view training_heading = "Training";
constexpr std::string_view scaling_heading = "Scaling";

/// What the mean step of each trace went to; copies and fills together.
page::PageSection trace_step_section(const ResultSet& results) {
  page::PageSection section = strip_section(results.imported);
  section.heading = "Steps of traces";
  for (const ImportedCase& imported : results.imported) {
    if (!imported.trace) continue;
    const trace::RoleTimes& mean = imported.trace->ours.breakdown.mean;
    chart::Bar bar{.label = imported.title, .text = si(mean.total_ns * seconds_per_ns, "s")};
    for (const trace::StepRole role : values_of<trace::StepRole>) {
      const double time_ns = mean.role_ns[static_cast<std::size_t>(role)];
      const bool copies = role == trace::StepRole::memcpy || role == trace::StepRole::memset;
      if (time_ns <= 0.0) continue;
      const std::string name(copies ? "copies and fills" : name_of(role));
      const auto known = std::ranges::find(bar.parts, name, &chart::BarPart::name);
      chart::BarPart& part =
          known != bar.parts.end() ? *known : bar.parts.emplace_back(chart::BarPart{name});
      part.value += time_ns * seconds_per_ns;
      part.text = si(part.value, "s");
    }
    section.bars.push_back(std::move(bar));
  }
  return section;
}

page::PageSection memory_section(const ResultSet& results) {
  static constexpr auto columns = page::columns_of(
      page::titled("what", "case"), "device", page::titled("kind", "kind"), "parameter_bytes",
      "gradient_bytes", "optimizer_bytes", page::if_known("cache_bytes"), "saved_activation_bytes",
      "allocated_peak_bytes", page::titled("reserved_peak_bytes", "reserved"),
      page::titled("total_bytes", "with context"),
      page::titled("device_used_bytes", "used on the device"));
  std::vector<page::JoinedRow> rows;
  const auto add = [&rows](const auto& memory, std::string_view kind, const std::string& what,
                           const std::string& device) {
    rows.emplace_back().own("kind", kind).own("what", what).own("device", device).of(memory);
    rows.back().without<predict::MemoryEstimate, record::MemoryUse>();
  };
  std::set<std::string> predicted;
  const auto add_model = [&](const CaseResult& result, const std::string& device) {
    const std::string setting = setting_of(result);
    // Several runs of one case have one prediction.
    const std::string seen = format("{} {} {}", setting, device, to_json(result.memory).dump());
    if (!predicted.insert(seen).second) return;
    add(result.memory, "predicted", setting, device);
    if (!result.memory.context) rows.back().own("total_bytes", Json());
  };
  for (const CaseResult& result : results.predictions) add_model(result, result.device.id);
  for (const MeasuredCase& measured : results.measured) {
    const std::string device = device_of(measured.record);
    if (measured.model) add_model(*measured.model, device);
    if (!measured.record.memory) continue;
    add(*measured.record.memory, kind_of(measured), setting_of(measured.record.identity), device);
  }
  page::PageSection section{.heading = "Memory"};
  if (!rows.empty()) section.tables.push_back(page::table_of(rows, columns));
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
  return command.starts_with("rooflab ") ? command
                                         : shell_line({"rooflab", "import", imported.file});
}

page::PageSection imported_section(const ImportedCase& imported) {
  page::PageSection section{.heading = imported.title};
  if (!imported.kernels.empty() && imported.kernels.front().time_s > 0.0) {
    section.bars.push_back(class_bar(format("kernels{}", imported.trace ? of_a_step(imported) : ""),
                                     kernel_class_times(imported)));
  }
  if (imported.trace) {
    section.tables = trace_tables(imported, 0);
  } else if (!imported.kernels.empty()) {
    section.tables.push_back(import_totals_table({&imported, 1}));
    section.tables.push_back(kernel_table(imported, 0));
  }
  page::add_filled(section.tables, collectives_table(imported));
  if (imported.modelled) section.tables.push_back(modelled_table(imported, 0));
  page::add_filled(section.tables, samples_table({&imported, 1}));
  section.notes = import_remarks(imported);
  section.command = command_of(imported);
  return section;
}

/// What a result is, what gives it again, where it was made and what a reader must know.
struct Origin {
  std::string title;
  std::string command;
  const record::Environment* environment = nullptr;  ///< nullptr: nothing ran
  page::Remarks warnings = {};
};

std::vector<Origin> origins_of(const ResultSet& results) {
  std::vector<Origin> origins;
  for (const CaseResult& result : results.predictions) {
    origins.push_back(
        {case_title(result), result.command, nullptr, page::remarks_of(result.notes)});
  }
  for (const MeasuredCase& measured : results.measured) {
    const record::Record& record = measured.record;
    Origin& origin = origins.emplace_back(
        Origin{title_of(record.identity), record.identity.command, &record.environment});
    if (!record.message.empty()) {
      origin.warnings.push_back(format("{}: {}", name_of(record.status), record.message));
    }
    std::ranges::copy(suspects_of(measured), std::back_inserter(origin.warnings));
    std::ranges::copy(page::remarks_of(measured.notes), std::back_inserter(origin.warnings));
  }
  for (const ImportedCase& imported : results.imported) {
    origins.push_back({imported.title, command_of(imported), &imported.record.environment,
                       import_warnings(imported)});
    if (imported.device_note) origins.back().warnings.emplace_back(*imported.device_note);
  }
  for (const auto& [record, source, file] : results.watched) {
    origins.push_back(
        {source, record.identity.command, &record.environment, page::remarks_of(record.warnings)});
  }
  for (const training::NamedTraining& each : results.trainings) {
    origins.push_back({each.name, each.run.identity.command, &each.run.environment});
  }
  for (const record::ScaleRun& run : results.scaled) {
    origins.push_back({format("{}, {} devices", title_of(run.identity), run.ranks_wanted),
                       run.identity.command, &run.environment});
  }
  for (Origin& each : origins) each.command = harmless_command(each.command);
  return origins;
}

/// Layers of predictions and measurements, then the environments of all else.
page::PageSection layer_section(const ResultSet& results, std::span<const Origin> origins) {
  page::PageSection section{.heading = "Layers and environment"};
  for (const CaseResult& result : results.predictions) {
    section.details.push_back({format("{}: limits", case_title(result)), layer_limit_table(result),
                               page::remarks_of(result.notes), result.command});
  }
  for (const MeasuredCase& measured : results.measured) add_details(section, measured);
  for (const Origin& each : origins.subspan(results.predictions.size() + results.measured.size())) {
    section.details.push_back({format("{}: environment", each.title),
                               page::facts_table(to_json(*each.environment)),
                               {},
                               each.command});
  }
  return section;
}

page::PageSection warning_section(std::span<const Origin> origins) {
  page::PageSection section{.heading = std::string(warnings_heading)};
  for (const Origin& each : origins) {
    for (const page::Remark& warning : each.warnings) {
      section.notes.push_back({format("{}: {}", each.title, warning.text), warning.rank});
    }
  }
  return section;
}

page::PageSection command_section(std::span<const Origin> origins) {
  page::Table table{.columns = {{"what", "result", page::Align::left},
                                {"command_line", "command line", page::Align::left}}};
  table.columns.back().shrinks = true;
  for (const Origin& each : origins) {
    if (!each.command.empty()) table.rows.push_back({each.title, each.command});
  }
  page::PageSection section{.heading = std::string(commands_heading)};
  page::add_filled(section.tables, std::move(table));
  return section;
}

/// Every case once: a prediction of a measured case is in the measurement's row.
void add_head(page::Document& document, const ResultSet& results) {
  std::vector<HeadCase> heads;
  std::set<const CaseResult*> beside;
  for (const MeasuredCase& measured : results.measured) {
    HeadCase& head = heads.emplace_back(head_case(measured));
    const CaseResult* const prediction = results.prediction_of(measured);
    if (prediction == nullptr) continue;
    add_expected(head, *prediction);
    beside.insert(prediction);
  }
  for (const CaseResult& result : results.predictions) {
    if (!beside.contains(&result)) heads.push_back(head_case(result));
  }
  for (const ImportedCase& imported : results.imported) heads.push_back(head_case(imported));
  show_head(document, heads);
  for (const ImportedCase& imported : results.imported) {
    std::string sentence = samples_sentence(imported);
    if (!sentence.empty()) document.answer.push_back(std::move(sentence));
  }
}

/// Another document's answer, and its sections with `heading` before theirs.
void add_document(page::Document& document, page::Document other, std::string_view heading) {
  std::ranges::move(other.answer, std::back_inserter(document.answer));
  for (page::PageSection& section : other.sections) {
    section.heading = format("{}: {}", heading, lowercase(section.heading));
    document.sections.push_back(std::move(section));
  }
}

/// Whose notes are more than captions of what is there.
bool has_findings(const page::PageSection& section) {
  return section.heading == warnings_heading || section.heading == results_heading ||
         section.heading.starts_with(training_heading) ||
         section.heading.starts_with(scaling_heading);
}

}  // namespace

page::Document report_view(const ResultSet& results, std::string command, std::size_t top,
                           Findings found) {
  page::Document document;
  document.title = "Report";
  document.command = std::move(command);
  add_head(document, results);
  document.sections = {result_section(results),
                       roofline_section(results.predictions, results.measured, results.imported),
                       samples_section(results.imported),
                       counted_section(results.measured),
                       class_section(results.measured),
                       prediction_section(results.predictions),
                       trace_step_section(results),
                       step_section(results.measured),
                       memory_section(results)};
  if (results.job) {
    page::PageSection ranks{.heading = "Ranks"};
    ranks.tables.push_back(job_table(*results.job, results.imported));
    document.sections.push_back(std::move(ranks));
  }
  for (const ImportedCase& imported : results.imported) {
    document.sections.push_back(imported_section(imported));
  }
  document.sections.push_back(sample_section(results.measured));
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
  const std::vector<Origin> origins = origins_of(results);
  document.sections.push_back(layer_section(results, origins));
  document.sections.push_back(warning_section(origins));
  document.sections.push_back(command_section(origins));
  for (page::PageSection& section : document.sections) section.captions = !has_findings(section);
  document.most_rows = top;
  std::vector<std::string> models;
  for (const CaseResult& each : results.predictions) models.push_back(each.model);
  for (const MeasuredCase& each : results.measured) {
    models.push_back(each.record.identity.model);
  }
  name_models_by_stem(document, models);
  show_all_tables(document, "report");
  show_findings(document, found, true);
  return document;
}

}  // namespace rooflab::report
