#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "base/shell_words.hpp"
#include "class_bar.hpp"
#include "counted_section.hpp"
#include "describe/json_fields.hpp"
#include "finding_part.hpp"
#include "model_names.hpp"
#include "modelled_section.hpp"
#include "page_head.hpp"
#include "page_parts.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/views.hpp"
#include "row_table.hpp"
#include "samples_section.hpp"
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

/// `alexnet, batch 8, training, tf32`: a result, or what it was asked for.
template <class Case>
std::string setting_of(const Case& of) {
  return format("{}, {}", of.model, work_of(of));
}

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

/// A run with counters is another one than the same without.
std::string_view kind_of(const MeasuredCase& measured) {
  return measured.counted ? "measured, with counters" : "measured";
}

Json result_row(const MeasuredCase& measured, const CaseResult* prediction) {
  const record::CaseIdentity& identity = measured.record.identity;
  const bool interval = prediction != nullptr && prediction->has_interval();
  Json row = to_json(measured);
  // Of both, the model's.
  row.update(row["limit"].is_null() ? row["counters"]["totals"] : row["limit"]);
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
PageDetail meaning_of_words(bool predicted) {
  Table words{.columns = {{"word", "word", Align::left}, {"meaning", "meaning", Align::left}}};
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

PageSection result_section(const ResultSet& results) {
  static constexpr auto columns = columns_of(
      titled("kind", "kind"), titled("what", "case"), "device", "time_s", if_known("predicted_s"),
      if_known("predicted_low_s"), joined(if_known("predicted_high_s")), if_known("limit_s"),
      if_known("limit_ratio"), bounded(beside_text("flop"), "collected_flop"),
      bounded(if_known("flop_per_s"), "collected_flop_per_s"),
      bounded(beside_text("intensity_flop_per_byte"), "collected_intensity_flop_per_byte"),
      if_known("allocated_peak_bytes"), "status", shrinking(titled("source", "file")));
  std::vector<Json> rows;
  for (const CaseResult& result : results.predictions) rows.push_back(result_row(result));
  for (const MeasuredCase& measured : results.measured) {
    rows.push_back(result_row(measured, results.prediction_of(measured)));
  }
  for (const ImportedCase& each : results.imported) rows.push_back(result_row(each));
  PageSection section{.heading = std::string(results_heading)};
  if (rows.empty()) return section;
  const Table& table = section.tables.emplace_back(table_of(rows, columns));
  const bool predicted =
      !std::ranges::find(table.columns, "predicted_s", &Column::key)->only_in_csv;
  section.details.push_back(meaning_of_words(predicted));
  if (std::string note = results.agreement(); !note.empty()) {
    section.notes.push_back(std::move(note));
  }
  return section;
}

/// What the mean step of each trace went to; copies and fills together.
PageSection trace_step_section(const ResultSet& results) {
  PageSection section = strip_section(results.imported);
  section.heading = "Steps of traces";
  for (const ImportedCase& imported : results.imported) {
    if (!imported.trace) continue;
    const trace::RoleTimes& mean = imported.trace->ours.breakdown.mean;
    PageBar bar{.label = imported.title, .text = si(mean.total_ns * seconds_per_ns, "s")};
    for (const trace::StepRole role : values_of<trace::StepRole>) {
      const double time_ns = mean.role_ns[static_cast<std::size_t>(role)];
      const bool copies = role == trace::StepRole::memcpy || role == trace::StepRole::memset;
      if (time_ns <= 0.0) continue;
      const std::string name(copies ? "copies and fills" : name_of(role));
      const auto known = std::ranges::find(bar.parts, name, &PageBarPart::name);
      PageBarPart& part =
          known != bar.parts.end() ? *known : bar.parts.emplace_back(PageBarPart{name});
      part.value += time_ns * seconds_per_ns;
      part.text = si(part.value, "s");
    }
    section.bars.push_back(std::move(bar));
  }
  return section;
}

PageSection memory_section(const ResultSet& results) {
  static constexpr auto columns = columns_of(
      titled("what", "case"), "device", titled("kind", "kind"), "parameter_bytes", "gradient_bytes",
      "optimizer_bytes", if_known("cache_bytes"), "saved_activation_bytes", "allocated_peak_bytes",
      titled("reserved_peak_bytes", "reserved"), titled("total_bytes", "with context"),
      titled("device_used_bytes", "used on the device"));
  std::vector<Json> rows;
  const auto add = [&rows](const auto& memory, std::string_view kind, std::string what,
                           std::string device) {
    rows.push_back(to_json(memory));
    rows.back().update({{"kind", kind}, {"what", std::move(what)}, {"device", std::move(device)}});
  };
  std::set<std::string> predicted;
  const auto add_model = [&](const CaseResult& result, std::string device) {
    const predict::MemoryEstimate& memory = result.memory;
    add(memory, "predicted", setting_of(result), std::move(device));
    if (!memory.context) rows.back().update({{"total_bytes", Json()}});
    // Several runs of one case have one prediction.
    if (!predicted.insert(rows.back().dump()).second) rows.pop_back();
  };
  for (const CaseResult& result : results.predictions) add_model(result, result.device.id);
  for (const MeasuredCase& measured : results.measured) {
    const std::string device = device_of(measured.record);
    if (measured.model) add_model(*measured.model, device);
    if (!measured.record.memory) continue;
    add(*measured.record.memory, kind_of(measured), setting_of(measured.record.identity), device);
  }
  PageSection section{.heading = "Memory"};
  if (!rows.empty()) section.tables.push_back(table_of(rows, columns));
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

PageSection imported_section(const ImportedCase& imported) {
  PageSection section{.heading = imported.title};
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
  add_filled(section.tables, collectives_table(imported));
  if (imported.modelled) section.tables.push_back(modelled_table(imported, 0));
  add_filled(section.tables, samples_table({&imported, 1}));
  section.notes = import_notes(imported);
  section.command = command_of(imported);
  return section;
}

/// What a result is, what gives it again, where it was made and what a reader must know.
struct Origin {
  std::string title;
  std::string command;
  const record::Environment* environment = nullptr;  ///< nullptr: nothing ran
  Remarks warnings = {};
};

std::vector<Origin> origins_of(const ResultSet& results) {
  std::vector<Origin> origins;
  for (const CaseResult& result : results.predictions) {
    origins.push_back({case_title(result), result.command, nullptr, remarks_of(result.notes)});
  }
  for (const MeasuredCase& measured : results.measured) {
    const record::Record& record = measured.record;
    Origin& origin = origins.emplace_back(
        Origin{title_of(record.identity), record.identity.command, &record.environment});
    if (!record.message.empty()) {
      origin.warnings.push_back(format("{}: {}", name_of(record.status), record.message));
    }
    std::ranges::copy(suspects_of(measured), std::back_inserter(origin.warnings));
    std::ranges::copy(remarks_of(measured.notes), std::back_inserter(origin.warnings));
  }
  for (const ImportedCase& imported : results.imported) {
    origins.push_back({imported.title, command_of(imported), &imported.record.environment,
                       import_warnings(imported)});
    if (imported.device_note) origins.back().warnings.emplace_back(*imported.device_note);
  }
  for (const auto& [record, source, file] : results.watched) {
    origins.push_back(
        {source, record.identity.command, &record.environment, remarks_of(record.warnings)});
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
PageSection layer_section(const ResultSet& results, std::span<const Origin> origins) {
  PageSection section{.heading = "Layers and environment"};
  for (const CaseResult& result : results.predictions) {
    section.details.push_back({format("{}: limits", case_title(result)), layer_limit_table(result),
                               remarks_of(result.notes), result.command});
  }
  for (const MeasuredCase& measured : results.measured) add_details(section, measured);
  for (const Origin& each : origins.subspan(results.predictions.size() + results.measured.size())) {
    section.details.push_back({format("{}: environment", each.title),
                               facts_table(to_json(*each.environment)),
                               {},
                               each.command});
  }
  return section;
}

PageSection warning_section(std::span<const Origin> origins) {
  PageSection section{.heading = std::string(warnings_heading)};
  for (const Origin& each : origins) {
    for (const Remark& warning : each.warnings) {
      section.notes.push_back({format("{}: {}", each.title, warning.text), warning.rank});
    }
  }
  return section;
}

PageSection command_section(std::span<const Origin> origins) {
  Table table{
      .columns = {{"what", "result", Align::left}, {"command_line", "command line", Align::left}}};
  table.columns.back().shrinks = true;
  for (const Origin& each : origins) {
    if (!each.command.empty()) table.rows.push_back({each.title, each.command});
  }
  PageSection section{.heading = std::string(commands_heading)};
  add_filled(section.tables, std::move(table));
  return section;
}

/// Every case once: a prediction that a measurement stands beside is in the measurement's row.
void add_head(Document& document, const ResultSet& results) {
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
void add_document(Document& document, Document other, std::string_view heading) {
  std::ranges::move(other.answer, std::back_inserter(document.answer));
  for (PageSection& section : other.sections) {
    section.heading = format("{}: {}", heading, lowercase(section.heading));
    document.sections.push_back(std::move(section));
  }
}

/// Whose notes are more than captions of what stands there.
bool has_findings(const PageSection& section) {
  return section.heading == warnings_heading || section.heading == results_heading ||
         section.heading.starts_with(training_heading) ||
         section.heading.starts_with(scaling_heading);
}

}  // namespace

Document report_view(const ResultSet& results, std::string command, std::size_t top,
                     Findings found) {
  Document document;
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
    PageSection ranks{.heading = "Ranks"};
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
  for (PageSection& section : document.sections) section.captions = !has_findings(section);
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
