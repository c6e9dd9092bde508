#include "rooflab/report/scaling_report.hpp"

#include <algorithm>
#include <cmath>

#include "cells.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "row_table.hpp"
#include "scaling_json.hpp"

namespace rooflab::report {
namespace {

using analyze::Scaling;
using analyze::ScalingExchange;
using analyze::ScalingRank;
using analyze::ScalingRow;
using analyze::ScalingSeries;
using analyze::ScalingStep;

bool is_predicted_alone(const ScalingSeries& series) {
  return std::ranges::none_of(series.rows,
                              [](const ScalingRow& row) { return row.status.has_value(); });
}

std::string title_of(const ScalingSeries& series) {
  return format("{}{} on {}, {}, {}", series.model,
                series.variant.empty() ? "" : ":" + series.variant, series.device,
                name_of(series.precision), name_of(series.kind));
}

std::string title_of(const ScalingSeries& series, const ScalingRow& row) {
  return format("{}, {} device{}", title_of(series), row.devices, row.devices == 1 ? "" : "s");
}

/// `1,234`
Cell rate_cell(std::optional<double> samples_per_s) {
  if (!samples_per_s) return dash();
  const std::string shown = *samples_per_s < 100.0 ? format("{:.1f}", *samples_per_s)
                                                   : with_thousands(std::llround(*samples_per_s));
  return {shown, format("{}", *samples_per_s)};
}

/// Both ends; in CSV the lower one.
Cell interval_cell(const ScalingStep& step) {
  if (!step.step_low_s || !step.step_high_s) return dash();
  return {format("{} to {}", si(*step.step_low_s, "s", 3), si(*step.step_high_s, "s", 3)),
          format("{}", *step.step_low_s)};
}

/// A derived share is not as sure as a counted one: `~84.0 %`.
Cell hidden_cell(const ScalingExchange& exchange) {
  Cell cell = optional_percent(exchange.hidden_share);
  if (exchange.hidden_share && exchange.hidden_derived) cell.text = "~" + cell.text;
  return cell;
}

/// The columns that tell rows of all series apart, before `figures`.
Table scaling_table(std::vector<Column> figures) {
  Table table;
  table.columns = {{"model", "model", Align::left},         {"device", "device", Align::left},
                   {"precision", "precision", Align::left}, {"scaling", "scaling", Align::left},
                   {"link", "link", Align::left},           {"devices", "devices"}};
  table.columns.insert(table.columns.end(), figures.begin(), figures.end());
  return table;
}

void add_row(Table& table, const ScalingSeries& series, const ScalingRow& row,
             std::vector<Cell> figures) {
  std::vector<Cell> cells = {series.model,
                             series.device,
                             std::string(name_of(series.precision)),
                             std::string(name_of(series.kind)),
                             series.basis ? Cell(series.basis->link) : dash(),
                             count_cell(row.devices)};
  cells.insert(cells.end(), figures.begin(), figures.end());
  table.rows.push_back(std::move(cells));
}

void say_series_once(Table& table) {
  move_constants_to_title(table, {"model", "device", "precision", "scaling", "link"});
}

Table row_table(const Scaling& scaling) {
  Table table =
      scaling_table({{"batch_per_device", "batch a device"},
                     {"global_batch", "global batch"},
                     {"status", "status", Align::left},
                     {"step_s", "step"},
                     {"predicted_step_s", "predicted"},
                     {"predicted_step_low_s", "90 % within"},
                     {"predicted_step_high_s", "high", Align::right, true},
                     {"measured_over_predicted", "ratio"},
                     {"samples_per_s", "samples/s"},
                     {"speedup", "speed-up"},
                     {"predicted_speedup", "predicted speed-up", Align::right, false, true},
                     {"efficiency", "efficiency"},
                     {"communication_s", "communication time", Align::right, true},
                     {"communication_share", "communication"},
                     {"hidden_share", "hidden"},
                     {"imbalance", "imbalance"}});
  bool all_ok = true;
  for (const ScalingSeries& series : scaling.series) {
    for (const ScalingRow& row : series.rows) {
      const record::Status status = row.status.value_or(record::Status::ok);
      const ScalingStep measured = row.measured.value_or(ScalingStep());
      const ScalingStep predicted = row.predicted.value_or(ScalingStep());
      const ScalingStep step = row.step();
      const ScalingExchange& exchange = step.exchange;
      all_ok = all_ok && status == record::Status::ok;
      add_row(table, series, row,
              {count_cell(row.batch_per_device), count_cell(row.global_batch),
               row.status ? Cell(std::string(name_of(status))) : dash(),
               seconds_cell(measured.step_s), seconds_cell(predicted.step_s),
               interval_cell(predicted), seconds_cell(predicted.step_high_s),
               factor_cell(row.measured_over_predicted), rate_cell(step.samples_per_s),
               factor_cell(step.speedup), row.measured ? factor_cell(predicted.speedup) : dash(),
               optional_percent(step.efficiency), seconds_cell(exchange.communication_s),
               optional_percent(exchange.communication_share), hidden_cell(exchange),
               optional_percent(row.imbalance)});
    }
  }
  for (Column& column : table.columns) {
    if (column.key == "status") column.only_in_csv = all_ok;
  }
  hide_without_figures(table, {"step_s", "predicted_step_s", "predicted_step_low_s",
                               "measured_over_predicted", "predicted_speedup", "imbalance"});
  say_series_once(table);
  return table;
}

Table rank_table(const Scaling& scaling) {
  Table table = scaling_table({{"rank", "rank"},
                               {"host", "host", Align::left, false, true},
                               {"rank_device", "device", Align::left},
                               {"step_s", "step"},
                               {"utilization", "utilisation"},
                               {"busy_share", "busy"},
                               {"sm_efficiency", "SM efficiency"},
                               {"occupancy", "occupancy"},
                               {"communication_s", "communication"},
                               {"communication_kernel_share", "of kernels"},
                               {"communication_share", "of the step"},
                               {"hidden_share", "hidden"},
                               {"message", "message", Align::left}});
  for (const ScalingSeries& series : scaling.series) {
    for (const ScalingRow& row : series.rows) {
      for (const ScalingRank& rank : row.ranks) {
        Cell number = count_cell(rank.rank);
        if (rank.slowest && row.ranks.size() > 1) number.text += " (slowest)";
        add_row(table, series, row,
                {std::move(number), rank.host, rank.device, seconds_cell(rank.step_s),
                 optional_percent(rank.utilization), optional_percent(rank.busy_share),
                 optional_percent(rank.sm_efficiency), optional_percent(rank.occupancy),
                 seconds_cell(rank.exchange.communication_s),
                 optional_percent(rank.communication_kernel_share),
                 optional_percent(rank.exchange.communication_share), hidden_cell(rank.exchange),
                 rank.message});
      }
    }
  }
  hide_without_figures(table, {"message"});
  say_series_once(table);
  table.title = "Ranks";
  return table;
}

/// What the words of the tables mean, as far as they stand there.
void add_legend(bool measured, bool predicted, std::vector<std::string>& notes) {
  notes.emplace_back(
      "speed-up: samples/s over those of one device of the same series; communication: time of a"
      " step's all-reduces over the step's, hidden or not; hidden: the part of it behind other"
      " work.");
  if (!measured) return;
  notes.emplace_back(
      "step: the longest of the ranks' medians; slowest: the rank that computes longest, by its"
      " step without exchange where that was timed; imbalance: how much longer it computes than"
      " the average; ~: derived from steps with and without exchange.");
  if (!predicted) return;
  notes.emplace_back("Where a step was measured, samples/s and what follows are measured.");
}

std::vector<std::string> notes_of(const Scaling& scaling) {
  std::vector<std::string> notes;
  const auto add = [&notes](std::string note) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  };
  bool measured = false;
  bool predicted = false;
  for (const ScalingSeries& series : scaling.series) {
    measured = measured || !is_predicted_alone(series);
    predicted = predicted || series.basis;
  }
  add_legend(measured, predicted, notes);
  for (const ScalingSeries& series : scaling.series) {
    if (const auto& basis = series.basis) {
      const std::string message = basis->link_latency_s > 0.0
                                      ? format(", {} a message", si(basis->link_latency_s, "s", 3))
                                      : "";
      add(format("Link {}: {} a direction{}.", basis->link, si(basis->link_bytes_per_s, "B/s", 3),
                 message));
    }
    for (const std::string& note : series.notes) add(note);
    for (const std::string& finding : series.findings) {
      add(format("{}: {}", title_of(series), finding));
    }
    for (const ScalingRow& row : series.rows) {
      for (const std::string& warning : row.warnings) {
        add(format("{}: {}", title_of(series, row), warning));
      }
    }
  }
  for (const std::string& note : scaling.notes) add(note);
  return notes;
}

/// A step as a bar: its work, what the exchange adds (hidden communication takes no time).
PageBar step_bar(std::string label, const ScalingStep& step, std::optional<double> work_s) {
  const double step_s = step.step_s.value_or(0.0);
  const double work = std::min(step_s, step.exchange.compute_s.value_or(work_s.value_or(step_s)));
  return {std::move(label),
          si(step_s, "s"),
          {{"the step on one device", work, si(work, "s")},
           {"what the exchange adds", step_s - work, si(step_s - work, "s")}}};
}

void add_bars(const ScalingSeries& series, std::vector<PageBar>& bars) {
  // A weak series' step on one device is the work of every device.
  std::optional<double> one_s;
  for (const ScalingRow& row : series.rows) {
    const std::string name = title_of(series, row);
    if (row.measured) {
      if (row.devices == 1 && series.kind == analyze::ScalingKind::weak) {
        one_s = row.measured->step_s;
      }
      bars.push_back(step_bar(name, *row.measured, one_s));
    }
    if (row.predicted) {
      bars.push_back(
          step_bar(row.measured ? name + ", predicted" : name, *row.predicted, std::nullopt));
    }
  }
}

void add_line(const ScalingSeries& series, std::optional<ScalingStep> ScalingRow::*which,
              chart::Chart& chart) {
  const bool predicted = which == &ScalingRow::predicted;
  const auto number = static_cast<int>(chart.series.size());
  chart::Series line;
  line.name = title_of(series) + (predicted ? ", predicted" : "");
  line.marker = predicted ? chart::Marker::cross : chart::marker_of(number);
  line.color = number % chart::neutral_color;
  line.joined = true;
  for (const ScalingRow& row : series.rows) {
    if (!(row.*which) || !(row.*which)->speedup) continue;
    const double speedup = *(row.*which)->speedup;
    line.points.push_back(
        {static_cast<double>(row.devices), speedup, 0.4, "", {format("{:.2f}x", speedup)}});
  }
  if (!line.points.empty()) chart.series.push_back(std::move(line));
}

chart::Chart speedup_chart(const Scaling& scaling) {
  chart::Chart chart;
  chart.title = "Speed-up";
  chart.x = {.label = "devices", .unit = ""};
  chart.y = {.label = "speed-up", .unit = ""};
  double most = 1.0;
  for (const ScalingSeries& series : scaling.series) {
    add_line(series, &ScalingRow::measured, chart);
    add_line(series, &ScalingRow::predicted, chart);
    for (const ScalingRow& row : series.rows) most = std::max<double>(most, row.devices);
  }
  chart.guides.push_back(
      {.label = "ideal", .line = {{1.0, 1.0}, {most, most}}, .style = chart::LineStyle::dashed});
  return chart;
}

/// The speed-up on the most devices, and how near to the ideal it is.
void add_card(const ScalingSeries& series, Page& page) {
  const auto last = std::ranges::max_element(series.rows, {}, &ScalingRow::devices);
  if (last == series.rows.end() || !last->step().speedup) return;
  const double efficiency = *last->step().efficiency;
  page.cards.push_back({title_of(series, *last), format("{:.2f}x", *last->step().speedup),
                        format("{:.0f} % efficiency", 100.0 * efficiency),
                        efficiency >= 0.9 ? "good" : "warning"});
}

}  // namespace

Document scaling_report(const Scaling& scaling, std::string_view command) {
  Document document;
  const bool predicted = std::ranges::all_of(scaling.series, is_predicted_alone);
  document.title = predicted ? "Predicted data-parallel training" : "Data-parallel training";
  document.tables.push_back(row_table(scaling));
  Table ranks = rank_table(scaling);
  if (!ranks.rows.empty()) document.tables.push_back(std::move(ranks));
  document.notes = notes_of(scaling);
  document.json = scaling_json(scaling, command);
  return document;
}

Page scaling_page(const Scaling& scaling, std::string command_line) {
  Document document = scaling_report(scaling, "");
  Page page;
  page.title = document.title;
  page.subtitle =
      "One process a device, gradients averaged by all-reduces beside the backward pass.";
  page.command = std::move(command_line);
  PageSection speedup{.heading = "Speed-up"};
  PageSection steps{.heading = "Steps", .notes = std::move(document.notes)};
  PageSection ranks{.heading = "Ranks"};
  PageSection bars{.heading = "What a step is made of", .bar_scale = BarScale::absolute};
  for (const ScalingSeries& series : scaling.series) {
    add_card(series, page);
    add_bars(series, bars.bars);
  }
  chart::Chart chart = speedup_chart(scaling);
  if (!chart.series.empty()) speedup.charts.push_back({"", std::move(chart), {1200, 700}});
  for (Table& table : document.tables) {
    (table.title == "Ranks" ? ranks : steps).tables.push_back(std::move(table));
  }
  page.sections = {std::move(speedup), std::move(steps), std::move(ranks), std::move(bars)};
  return page;
}

}  // namespace rooflab::report
