#include "rooflab/report/measure_report.hpp"

#include <algorithm>
#include <set>

#include "agreement.hpp"
#include "cells.hpp"
#include "counted_section.hpp"
#include "measure_json.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "row_table.hpp"
#include "timed_report.hpp"

namespace rooflab::report {
namespace {

using analyze::ClassTime;
using analyze::MeasuredCase;
using analyze::MeasuredLayer;

/// Half the width of the median's interval, as a part of the median.
Cell spread_cell(const std::optional<Statistics>& steps) {
  if (!steps || steps->median <= 0.0) return dash();
  const double half =
      std::max(steps->median_high - steps->median, steps->median - steps->median_low);
  return {format("±{:.1f} %", half / steps->median * 100.0), format("{}", half)};
}

// Means over the timed steps.
Cell mean_power(const MeasuredCase& measured) {
  if (!measured.samples || !measured.samples->power_w) return dash();
  return si_cell(measured.samples->power_w->mean, "W");
}
Cell mean_core_use(const MeasuredCase& measured) {
  if (!measured.samples || !measured.samples->core_utilization) return dash();
  return percent_cell(measured.samples->core_utilization->mean);
}

std::vector<Cell> case_row(const MeasuredCase& measured) {
  const record::CaseIdentity& identity = measured.record.identity;
  const auto interval_end = [&](double Statistics::*member) {
    return measured.steps ? seconds_cell((*measured.steps).*member) : dash();
  };
  const bool predicted = measured.model && measured.model->prediction;
  const auto predicted_cell = [&](Seconds predict::StepTime::*member) {
    return predicted ? seconds_cell(((*measured.model->prediction).*member).value) : dash();
  };
  const std::optional<Bytes> predicted_peak =
      measured.model ? std::optional(measured.model->memory.allocated_peak) : std::nullopt;
  const std::optional<Bytes> allocated =
      measured.record.memory ? measured.record.memory->allocated_peak : std::nullopt;
  return {identity.model,
          identity.device,
          Cell(std::to_string(identity.batch)),
          std::string(name_of(identity.phase)),
          std::string(name_of(identity.precision)),
          measured.steps ? seconds_cell(measured.steps->median) : dash(),
          spread_cell(measured.steps),
          interval_end(&Statistics::median_low),
          interval_end(&Statistics::median_high),
          predicted_cell(&predict::StepTime::time),
          predicted_cell(&predict::StepTime::low),
          predicted_cell(&predict::StepTime::high),
          seconds_cell(measured.limit_s()),
          hundredths_cell(measured.ratio, "x"),
          optional_si_cell(measured.samples_per_s, ""),
          optional_si_cell(measured.flops_per_s, "FLOP/s"),
          measured.fraction_of_peak ? percent_cell(*measured.fraction_of_peak) : dash(),
          bytes_cell(allocated),
          bytes_cell(predicted_peak),
          optional_si_cell(measured.record.energy_j, "J"),
          mean_power(measured),
          mean_core_use(measured),
          std::string(name_of(measured.record.status))};
}

Table comparison_of(std::span<const MeasuredCase> cases) {
  Table table;
  table.columns = case_columns({{"median_s", "measured"},
                                {"median_spread_s", "spread"},
                                {"median_low_s", "low", Align::right, true},
                                {"median_high_s", "high", Align::right, true},
                                {"predicted_s", "predicted"},
                                {"predicted_low_s", "predicted low", Align::right, true},
                                {"predicted_high_s", "predicted high", Align::right, true},
                                {"limit_s", "limit"},
                                {"ratio", "ratio"},
                                {"samples_per_s", "samples/s"},
                                {"flops_per_s", "FLOP/s"},
                                {"fraction_of_peak", "of peak"},
                                {"allocated_peak_bytes", "allocated"},
                                {"predicted_peak_bytes", "predicted peak"},
                                {"energy_j", "energy/step"},
                                {"power_w", "power"},
                                {"core_utilization", "core in use"},
                                {"status", "status", Align::left}});
  for (const MeasuredCase& measured : cases) table.rows.push_back(case_row(measured));
  move_constants_to_title(table);
  hide_without_figures(
      table, {"predicted_s", "limit_s", "ratio", "fraction_of_peak", "allocated_peak_bytes",
              "predicted_peak_bytes", "energy_j", "power_w", "core_utilization"});
  return table;
}

// ---- where the time went --------------------------------------------------------------------

/// One case: a row a class, with the limit beside it.
Table class_table(const MeasuredCase& measured, bool alone) {
  Table table;
  table.title = "Where the time went, by op class";
  if (!alone) table.title += format(": {}", title_of(measured.record.identity));
  table.columns = {{"class", "class", Align::left},
                   {"layers", "layers"},
                   {"time_s", "time"},
                   {"share", "share"},
                   {"limit_s", "limit"},
                   {"limit_share", "share of limit"}};
  for (const ClassTime& each : measured.layers.classes) {
    table.rows.push_back({std::string(name_of(each.op_class)), count_cell(each.layers),
                          si_cell(each.time_s, "s"), percent_cell(each.share),
                          seconds_cell(each.limit_s),
                          each.limit_share ? percent_cell(*each.limit_share) : dash()});
  }
  hide_without_figures(table, {"limit_s", "limit_share"});
  return table;
}

/// Several: a row a case, a column a class, shares of the layers' sum.
Table class_shares_table(std::span<const MeasuredCase* const> cases) {
  std::set<analyze::OpClass> used;
  for (const MeasuredCase* measured : cases) {
    for (const ClassTime& each : measured->layers.classes) used.insert(each.op_class);
  }
  Table table;
  table.title = "Where the time went, by op class: share of the layers' times";
  table.columns = {{"case", "case", Align::left}};
  for (const analyze::OpClass op_class : used) {
    const std::string name(name_of(op_class));
    table.columns.push_back({name, name});
  }
  for (const MeasuredCase* measured : cases) {
    std::vector<Cell> row = {title_of(measured->record.identity)};
    for (const analyze::OpClass op_class : used) {
      const auto found =
          std::ranges::find(measured->layers.classes, op_class, &ClassTime::op_class);
      row.push_back(found == measured->layers.classes.end() ? dash() : percent_cell(found->share));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// What the predicted times rest on, and how many of them hold; empty where there are none.
std::string prediction_note(std::span<const MeasuredCase> cases) {
  std::set<std::string> calibrations;
  Agreement agreement;
  for (const MeasuredCase& measured : cases) {
    if (!measured.model || !measured.model->calibration) continue;
    calibrations.insert(measured.model->calibration->id);
    agreement.add(measured, &*measured.model);
  }
  if (calibrations.empty()) return "";
  const std::vector<std::string> names(calibrations.begin(), calibrations.end());
  return format("predicted: the expected time, from ops measured on {}. {}", join(names, ", "),
                agreement.sentence());
}

std::vector<std::string> notes_of(std::span<const MeasuredCase> cases) {
  std::vector<std::string> notes = {
      "measured: median of whole steps; spread: of its 95 % interval. FLOPs are modelled."};
  if (std::ranges::any_of(cases,
                          [](const MeasuredCase& each) { return each.limit_s().has_value(); })) {
    notes.front() += " limit: each op at the roofline, summed; ratio: measured over limit.";
  }
  const auto add = [&notes](std::string line) {
    if (std::ranges::find(notes, line) == notes.end()) notes.push_back(std::move(line));
  };
  if (std::string note = prediction_note(cases); !note.empty()) add(std::move(note));
  for (const MeasuredCase& measured : cases) {
    const std::string title = title_of(measured.record.identity);
    if (!measured.record.message.empty()) {
      add(format("{}: {}: {}", title, name_of(measured.record.status), measured.record.message));
    }
    for (const std::string& warning : measured.warnings) {
      add(format("{}: suspect: {}", title, warning));
    }
    if (measured.steps_with_data) {
      add(format("{}: with waiting for data and copying it, a step takes {}", title,
                 si(measured.steps_with_data->median, "s")));
    }
    for (const std::string& note : measured.notes) {
      // What several cases share is about none of them.
      const auto sharing = std::ranges::count_if(cases, [&note](const MeasuredCase& each) {
        return std::ranges::find(each.notes, note) != each.notes.end();
      });
      add(sharing > 1 ? format("{} cases: {}", sharing, note) : format("{}: {}", title, note));
    }
  }
  if (cases.size() == 1 && cases.front().layers.sum) {
    for (std::string& sentence : analyze::explain(*cases.front().layers.sum)) {
      add(std::move(sentence));
    }
  }
  return notes;
}

std::vector<Cell> layer_row(const MeasuredLayer& layer, double sum) {
  const double time_s = layer.time_s();
  const double limit = layer.limit ? layer.limit->value : 0.0;
  return {layer.name,
          layer.op,
          si_cell(layer.forward_s, "s"),
          seconds_cell(layer.backward_s),
          sum > 0.0 ? percent_cell(time_s / sum) : dash(),
          layer.limit ? si_cell(limit, "s") : dash(),
          limit > 0.0 ? hundredths_cell(time_s / limit, "x") : dash(),
          layer.limit ? Cell(std::string(name_of(layer.bound))) : dash(),
          seconds_cell(layer.synchronized_s),
          layer.allocated_delta_bytes ? si_cell(*layer.allocated_delta_bytes, "B") : dash()};
}

}  // namespace

std::string title_of(const record::CaseIdentity& identity) {
  std::string title = format("{} on {}, batch {}, {}, {}", identity.model, identity.device,
                             identity.batch, name_of(identity.phase), name_of(identity.precision));
  for (const std::string& more : {identity.variant, identity.rewrite}) {
    if (!more.empty()) title += format(", {}", more);
  }
  if (identity.channels_last) title += ", channels last";
  return title;
}

Table measured_layer_table(const MeasuredCase& measured) {
  Table table;
  table.title = title_of(measured.record.identity);
  table.columns = {{"name", "layer", Align::left},
                   {"op", "op", Align::left},
                   {"forward_s", "forward"},
                   {"backward_s", "backward"},
                   {"share", "share"},
                   {"limit_s", "limit"},
                   {"ratio", "ratio"},
                   {"bound", "bound", Align::left},
                   {"synchronized_s", "synchronised"},
                   {"allocated_delta_bytes", "allocates"}};
  if (!measured.layers.sum) return table;
  const analyze::LayerSum& sum = *measured.layers.sum;
  double backward = 0.0;
  for (const MeasuredLayer& layer : measured.layers.layers) {
    table.rows.push_back(layer_row(layer, sum.sum_s));
    backward += layer.backward_s.value_or(0.0);
  }
  hide_without_figures(table, {"backward_s", "limit_s", "ratio", "bound", "synchronized_s",
                               "allocated_delta_bytes"});
  table.totals.push_back(
      {"sum of layers", "", si_cell(sum.forward_sum_s, "s"),
       backward > 0.0 ? si_cell(backward, "s") : dash(), percent_cell(1.0),
       seconds_cell(measured.limit_s()),
       measured.limit_s() ? hundredths_cell(sum.sum_s / *measured.limit_s(), "x") : dash(), "",
       seconds_cell(sum.synchronized_sum_s), ""});
  table.totals.push_back({"whole step", "", si_cell(sum.whole_s, "s"), "", "", "", "", "",
                          seconds_cell(sum.forward_whole_s), ""});
  return table;
}

Document timed_report(std::span<const MeasuredCase> cases) {
  Document document;
  document.title = "Measured";
  document.tables.push_back(comparison_of(cases));
  std::vector<const MeasuredCase*> with_layers;
  for (const MeasuredCase& measured : cases) {
    if (!measured.layers.classes.empty()) with_layers.push_back(&measured);
  }
  if (with_layers.size() == 1) {
    document.tables.push_back(class_table(*with_layers.front(), cases.size() == 1));
  }
  if (with_layers.size() > 1) document.tables.push_back(class_shares_table(with_layers));
  document.notes = notes_of(cases);
  document.json = measure_json(cases);
  return document;
}

Document measure_report(std::span<const MeasuredCase> cases) {
  Document document = timed_report(cases);
  for (const MeasuredCase& measured : cases) {
    if (!measured.counted) continue;
    if (Table layers = counted_layer_table(measured); !layers.rows.empty()) {
      document.tables.push_back(std::move(layers));
    }
  }
  PageSection counted = counted_section(cases);
  std::ranges::move(counted.tables, std::back_inserter(document.tables));
  std::ranges::move(counted.notes, std::back_inserter(document.notes));
  return document;
}

}  // namespace rooflab::report
