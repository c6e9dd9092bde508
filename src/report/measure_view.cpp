#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "counted_section.hpp"
#include "model_names.hpp"
#include "notes/analyze_notes.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"
#include "page_head.hpp"
#include "page_parts.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/report/views.hpp"
#include "shown_findings.hpp"

namespace rooflab::report {
namespace {

using analyze::ClassTime;
using analyze::MeasuredCase;

page::Table comparison_of(std::span<const MeasuredCase> cases) {
  static constexpr auto columns = page::columns_of(
      "model", "device", "batch", "phase", "precision", "median_s", "median_spread_share",
      page::in_csv("median_low_s"), page::in_csv("median_high_s"), page::if_known("predicted_s"),
      page::in_csv("predicted_low_s"), page::in_csv("predicted_high_s"), page::if_known("limit_s"),
      page::if_known("limit_ratio"), "samples_per_s", "flop_per_s", page::if_known("peak_share"),
      page::if_known("allocated_peak_bytes"), page::if_known("predicted_peak_bytes"),
      page::if_known("step_energy_j"), page::if_known("mean_power_w"),
      page::if_known("mean_core_utilization_share"), "status",
      page::where_known("reserved_peak_bytes"), page::where_known("device_used_bytes"), "worker");
  std::vector<page::JoinedRow> rows;
  for (const MeasuredCase& measured : cases) {
    const analyze::CaseResult* const model = measured.model ? &*measured.model : nullptr;
    const auto modelled = [&](std::span<const Field> fields) {
      rows.back().of(fields, model == nullptr ? nullptr : &measured);
    };
    rows.emplace_back()
        .own("status", measured.status_word())
        .own("worker", measured.record.identity.worker)
        .of(measured)
        .of(analyze::timing_fields(), &measured);
    modelled(analyze::expected_memory_fields());
    modelled(analyze::limit_fields());
    rows.back()
        .of(fields_of(For<predict::NetworkLimit>{}), model == nullptr ? nullptr : &model->limit)
        .of(fields_of(For<predict::StepTime>{}),
            model != nullptr && model->prediction ? &*model->prediction : nullptr);
  }
  page::Table table = page::table_of(rows, columns);
  // Text says who measured where it was not the usual worker alone.
  std::ranges::find(table.columns, "worker", &page::Column::key)->only_in_csv = std::ranges::all_of(
      cases,
      [](const MeasuredCase& measured) { return measured.record.identity.other_worker().empty(); });
  page::move_constants_to_title(table);
  return table;
}

// ---- where the time went --------------------------------------------------------------------

/// One case: a row a class, with the limit next to it.
page::Table class_table(const MeasuredCase& measured, bool alone) {
  page::Table table = page::table_of<ClassTime>(
      measured.layers.classes,
      page::columns_of("op_class", "layer_count", "time_s", page::in_bars("time_share"),
                       page::if_known("limit_s"), page::if_known("limit_share")));
  table.title = "Where the time went, by op class";
  if (!alone) table.title += format(": {}", title_of(measured.record.identity));
  return table;
}

/// Several: a row per case, a column a class, shares of the layers' sum.
page::Table class_shares_table(std::span<const MeasuredCase* const> cases) {
  std::set<analyze::OpClass> used;
  for (const MeasuredCase* measured : cases) {
    for (const ClassTime& each : measured->layers.classes) used.insert(each.op_class);
  }
  page::Table table;
  table.title = "Where the time went, by op class: share of the layers' times";
  table.columns = {{"case", "case", page::Align::left}};
  table.columns.front().shrinks = true;
  for (const analyze::OpClass op_class : used) {
    const std::string name(name_of(op_class));
    table.columns.push_back({name, name});
  }
  for (const MeasuredCase* measured : cases) {
    std::vector<page::Cell> row = {title_of(measured->record.identity)};
    for (const analyze::OpClass op_class : used) {
      const auto found =
          std::ranges::find(measured->layers.classes, op_class, &ClassTime::op_class);
      row.push_back(found == measured->layers.classes.end()
                        ? page::dash()
                        : page::percent_cell(found->time_share));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Bars and chart of the page, and the table that text has of them.
page::PageSection class_section_in_text(std::span<const MeasuredCase> cases) {
  std::vector<const MeasuredCase*> with_layers;
  for (const MeasuredCase& measured : cases) {
    if (!measured.layers.classes.empty()) with_layers.push_back(&measured);
  }
  page::PageSection section = class_section(cases);
  section.in_text = true;
  if (with_layers.size() == 1) {
    section.tables = {class_table(*with_layers.front(), cases.size() == 1)};
  }
  if (with_layers.size() > 1) section.tables = {class_shares_table(with_layers)};
  return section;
}

/// What the predicted times rest on, and how many of them hold; empty without predicted times.
std::string prediction_note(std::span<const MeasuredCase> cases) {
  std::set<std::string> calibrations;
  std::size_t predicted = 0;
  std::size_t at_hand = 0;
  analyze::Agreement agreement;
  for (const MeasuredCase& measured : cases) {
    if (!measured.model || !measured.model->calibration) continue;
    calibrations.insert(measured.model->calibration->id);
    ++predicted;
    if (measured.model->has_host_at_hand()) ++at_hand;
    agreement.add(measured, &*measured.model);
  }
  if (calibrations.empty()) return "";
  const std::vector<std::string> names(calibrations.begin(), calibrations.end());
  std::string host;
  if (at_hand > 0) host = " and the issue costs of the host that ran the steps";
  if (at_hand > 0 && at_hand < predicted)
    host += format(" (in {} of {} cases)", at_hand, predicted);
  return format("predicted: the expected time, from ops measured on {}{}. {}", join(names, ", "),
                host, agreement.sentence());
}

page::Remarks notes_of(std::span<const MeasuredCase> cases) {
  page::Remarks notes;
  const auto add = [&notes](page::Remark line) { page::add_once(notes, std::move(line)); };
  // What makes a figure doubtful comes before what explains the figures.
  for (const MeasuredCase& measured : cases) {
    const std::string title = title_of(measured.record.identity);
    if (!measured.record.message.empty()) {
      add(page::answers(
          format("{}: {}: {}", title, name_of(measured.record.status), measured.record.message)));
    }
    for (page::Remark& suspect : suspects_of(measured)) {
      add({format("{}: {}", title, suspect.text), suspect.rank});
    }
  }
  const bool limits = std::ranges::any_of(
      cases, [](const MeasuredCase& each) { return each.limit_s().has_value(); });
  add(format("measured: median of whole steps; spread: of its 95 % interval. FLOPs are modelled.{}",
             limits ? " limit: each op at the roofline, summed; ratio: measured over limit." : ""));
  if (std::string note = prediction_note(cases); !note.empty()) add(std::move(note));
  for (const MeasuredCase& measured : cases) {
    const std::string title = title_of(measured.record.identity);
    if (measured.with_data_s) {
      add(format("{}: with waiting for data and copying it, a step takes {}", title,
                 si(*measured.with_data_s, "s")));
    }
    for (const Note& note : measured.notes) {
      if (note.code == analyze::says.device_unknown) continue;  // a finding says it
      // What several cases share is about none of them.
      const auto sharing = std::ranges::count_if(cases, [&note](const MeasuredCase& each) {
        return std::ranges::find(each.notes, note) != each.notes.end();
      });
      add(page::remark_on(sharing > 1 ? format("{} cases", sharing) : title, note));
    }
  }
  if (cases.size() == 1) {
    for (page::Remark& sentence : layer_sum_notes(cases.front())) add(std::move(sentence));
  }
  return notes;
}

}  // namespace

page::Table measured_layer_table(const MeasuredCase& measured) {
  static constexpr auto columns = page::columns_of(
      page::titled("node", "layer"), "op", "forward_s", page::if_known("backward_s"),
      page::in_bars("time_share"), page::if_known("limit_s"), page::if_known("limit_ratio"),
      page::if_known("bound"), page::if_known("synchronized_s"),
      page::if_known("allocated_delta_bytes"));
  page::Table table = page::table_of<analyze::MeasuredLayer>(measured.layers.layers, columns);
  table.title = title_of(measured.record.identity);
  table.totals = page::table_of<analyze::MeasuredLayer>(measured.layers.totals, columns).rows;
  return table;
}

page::Document measure_view(std::span<const MeasuredCase> cases, std::string command,
                            bool layers_in_text, Findings found) {
  page::Document document;
  document.title = "Measured";  // where no case began
  document.command = std::move(command);
  document.json = {
      {"schema_version", schema_version},
      {"command", "measure"},
      {"environment", cases.empty() ? Json() : to_json(cases.front().record.environment)},
      {"cases", codec::encode(cases)}};
  show_findings(document, found, cases.size() > 1);
  std::vector<HeadCase> heads;
  for (const MeasuredCase& measured : cases) heads.push_back(head_case(measured));
  show_head(document, heads);
  page::PageSection counted = counted_section(cases);
  counted.in_text = true;
  for (page::PageDetail& layers : counted.details) layers.in_text = true;
  document.sections = {{.heading = "Comparison",
                        .in_text = true,
                        .tables = {comparison_of(cases)},
                        .notes = notes_of(cases)},
                       roofline_section({}, cases, {}),
                       class_section_in_text(cases),
                       std::move(counted),
                       step_section(cases)};
  document.sections.push_back(sample_section(cases));
  page::PageSection& behind = document.sections.emplace_back();
  behind.heading = "Layers and environment";
  for (const MeasuredCase& measured : cases) add_details(behind, measured, layers_in_text);
  name_models_by_stem(document, cases,
                      [](const MeasuredCase& each) { return each.record.identity.model; });
  return document;
}

}  // namespace rooflab::report
