#include "rooflab/report/scale_report.hpp"

#include <algorithm>

#include "cells.hpp"
#include "rooflab/base/format.hpp"
#include "scale_json.hpp"
#include "scaling_parts.hpp"

namespace rooflab::report {
namespace {

using analyze::ScalingRank;
using analyze::ScalingRow;
using analyze::ScalingSeries;
using analyze::ScalingStudy;

std::string name_of_series(const ScalingSeries& series) {
  const std::string variant = series.variant.empty() ? "" : ":" + series.variant;
  return format("{}{}, {}, {}", series.model, variant, series.precision, name_of(series.scaling));
}

/// A derived share is not as sure as a counted one: `~84.0 %`.
Cell hidden_cell(std::optional<double> hidden, bool derived) {
  Cell cell = optional_percent(hidden);
  if (hidden && derived) cell.text = "~" + cell.text;
  return cell;
}

std::optional<double> predicted_s(const ScalingRow& row) {
  return row.predicted ? std::optional(row.predicted->time.value) : std::nullopt;
}

Table row_table(const ScalingStudy& study) {
  Table table;
  table.columns = {{"model", "model", Align::left},
                   {"precision", "precision", Align::left},
                   {"scaling", "scaling", Align::left},
                   {"gpus", "GPUs"},
                   {"batch_per_gpu", "batch a GPU"},
                   {"global_batch", "global"},
                   {"status", "status", Align::left},
                   {"step_s", "step"},
                   {"images_per_s", "images/s"},
                   {"speedup", "speed-up"},
                   {"efficiency", "efficiency"},
                   {"communication_of_step", "communication"},
                   {"hidden", "hidden"},
                   {"imbalance", "imbalance"},
                   {"predicted_s", "predicted"},
                   {"measured_over_predicted", "ratio"},
                   {"predicted_speedup", "predicted speed-up", Align::right, false, true}};
  bool all_ok = true;
  bool predicted = false;
  for (const ScalingSeries& series : study.series) {
    for (const ScalingRow& row : series.rows) {
      all_ok = all_ok && row.run.status == record::Status::ok;
      predicted = predicted || row.predicted;
      table.rows.push_back(
          {series.model, series.precision, std::string(name_of(series.scaling)),
           count_cell(row.gpus), count_cell(row.batch_per_gpu), count_cell(row.global_batch),
           std::string(name_of(row.run.status)), optional_si_cell(row.step_s, "s"),
           rate_cell(row.images_per_s), factor_cell(row.speedup), optional_percent(row.efficiency),
           optional_percent(row.communication_of_step), hidden_cell(row.hidden, row.hidden_derived),
           optional_percent(row.imbalance), optional_si_cell(predicted_s(row), "s"),
           factor_cell(row.predicted_ratio), factor_cell(row.predicted_speedup)});
    }
  }
  for (Column& column : table.columns) {
    if (column.key == "status") column.only_in_csv = all_ok;
    if (!predicted && (column.key.find("predicted") != std::string::npos)) {
      column.only_in_csv = true;
    }
  }
  return table;
}

Table rank_table(const ScalingStudy& study) {
  Table table;
  table.title = "Ranks";
  table.columns = {{"model", "model", Align::left},
                   {"precision", "precision", Align::left},
                   {"scaling", "scaling", Align::left, false, true},
                   {"gpus", "GPUs"},
                   {"rank", "rank"},
                   {"host", "host", Align::left, false, true},
                   {"device", "device", Align::left},
                   {"step_s", "step"},
                   {"utilization", "utilisation"},
                   {"busy", "busy"},
                   {"sm_efficiency", "SM efficiency"},
                   {"occupancy", "occupancy"},
                   {"exchange_s", "exchange"},
                   {"communication_of_kernels", "of kernels"},
                   {"communication_of_step", "of the step"},
                   {"hidden", "hidden"},
                   {"message", "message", Align::left}};
  bool any_message = false;
  for (const ScalingSeries& series : study.series) {
    for (const ScalingRow& row : series.rows) {
      for (const ScalingRank& rank : row.ranks) {
        any_message = any_message || !rank.message.empty();
        Cell number = count_cell(rank.rank);
        if (rank.slowest && row.ranks.size() > 1) number.text += " (slowest)";
        table.rows.push_back(
            {series.model, series.precision, std::string(name_of(series.scaling)),
             count_cell(row.gpus), std::move(number), rank.host, rank.device,
             optional_si_cell(rank.step_s, "s"), optional_percent(rank.utilization),
             optional_percent(rank.busy), optional_percent(rank.sm_efficiency),
             optional_percent(rank.occupancy), optional_si_cell(rank.exchange_s, "s"),
             optional_percent(rank.communication_of_kernels),
             optional_percent(rank.communication_of_step),
             hidden_cell(rank.hidden, rank.hidden_derived), rank.message});
      }
    }
  }
  table.columns.back().only_in_csv = !any_message;
  return table;
}

std::vector<std::string> notes_of(const ScalingStudy& study) {
  std::vector<std::string> notes = {
      "step: the slowest rank's median; speed-up: images/s against one device of the same series;"
      " communication: time of the exchange over the step's, hidden or not; hidden: of it beside"
      " other kernels (~: derived from steps with and without the exchange); imbalance: the slowest"
      " rank's own time over the mean of all, less 1."};
  for (const ScalingSeries& series : study.series) {
    for (const std::string& finding : series.findings) {
      notes.push_back(format("{}: {}", name_of_series(series), finding));
    }
    for (const ScalingRow& row : series.rows) {
      for (const std::string& warning : row.run.warnings) {
        notes.push_back(format("{}, {} GPUs: {}", name_of_series(series), row.gpus, warning));
      }
    }
  }
  return notes;
}

/// What the step would take without the exchange: the slowest rank's, else one device's.
std::optional<double> work_of(const ScalingSeries& series, const ScalingRow& row) {
  for (const ScalingRank& rank : row.ranks) {
    if (rank.slowest && rank.exposed_s && rank.step_s) return *rank.step_s - *rank.exposed_s;
  }
  const auto one = std::ranges::find(series.rows, 1, &ScalingRow::gpus);
  if (series.scaling != analyze::Scaling::weak || one == series.rows.end()) return std::nullopt;
  return one->step_s;
}

void add_series(const ScalingSeries& series, std::vector<SpeedupLine>& lines, PageSection& steps) {
  SpeedupLine measured{.name = name_of_series(series), .predicted = false, .points = {}};
  SpeedupLine predicted{
      .name = name_of_series(series) + ", predicted", .predicted = true, .points = {}};
  for (const ScalingRow& row : series.rows) {
    const auto gpus = static_cast<double>(row.gpus);
    if (row.speedup) measured.points.push_back({gpus, *row.speedup});
    if (row.predicted_speedup) predicted.points.push_back({gpus, *row.predicted_speedup});
    if (!row.step_s) continue;
    const double work = work_of(series, row).value_or(*row.step_s);
    steps.bars.push_back(
        step_bar(format("{}, {} GPUs", name_of_series(series), row.gpus), *row.step_s, work));
  }
  if (!measured.points.empty()) lines.push_back(std::move(measured));
  if (!predicted.points.empty()) lines.push_back(std::move(predicted));
}

void add_card(const ScalingSeries& series, Page& page) {
  const auto last = std::ranges::max_element(series.rows, {}, &ScalingRow::gpus);
  if (last == series.rows.end() || !last->speedup) return;
  page.cards.push_back(speedup_card(format("{}, {} GPUs", name_of_series(series), last->gpus),
                                    *last->speedup, *last->efficiency));
}

}  // namespace

Document scale_report(const ScalingStudy& study) {
  Document document;
  document.title = "Data-parallel training";
  document.tables.push_back(row_table(study));
  Table ranks = rank_table(study);
  if (!ranks.rows.empty()) document.tables.push_back(std::move(ranks));
  document.notes = notes_of(study);
  document.json = scale_json(study);
  return document;
}

Page scale_page(const ScalingStudy& study, std::string command) {
  Document document = scale_report(study);
  Page page = scaling_page(document.title, std::move(command));
  std::vector<SpeedupLine> lines;
  PageSection steps = step_section();
  for (const ScalingSeries& series : study.series) {
    add_series(series, lines, steps);
    add_card(series, page);
  }
  PageSection speedup{.heading = "Speed-up"};
  if (!lines.empty()) {
    speedup.charts.push_back(
        {"", speedup_chart("Speed-up of the slowest rank", lines), {1200, 700}});
  }
  PageSection rows{.heading = "Runs", .notes = std::move(document.notes)};
  PageSection ranks{.heading = "Ranks"};
  for (Table& table : document.tables) {
    (table.title == "Ranks" ? ranks : rows).tables.push_back(std::move(table));
  }
  page.sections = {std::move(speedup), std::move(rows), std::move(ranks), std::move(steps)};
  return page;
}

}  // namespace rooflab::report
