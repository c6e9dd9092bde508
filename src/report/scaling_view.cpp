#include <algorithm>

#include "base/format.hpp"
#include "chart/name_list.hpp"
#include "describe/schema.hpp"
#include "model_names.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"
#include "rooflab/report/views.hpp"
#include "shown_findings.hpp"

namespace rooflab::report {
namespace {

using analyze::Scaling;
using analyze::ScalingExchange;
using analyze::ScalingRank;
using analyze::ScalingRow;
using analyze::ScalingSeries;
using analyze::ScalingStep;

std::string title_of(const ScalingSeries& series) {
  return format("{}{} on {}, {}, {}", series.model,
                series.variant.empty() ? "" : ":" + series.variant, series.device,
                name_of(series.precision), name_of(series.kind));
}

std::string title_of(const ScalingSeries& series, const ScalingRow& row) {
  return format("{}, {} device{}", title_of(series), row.devices, row.devices == 1 ? "" : "s");
}

/// A derived share is not as sure as a counted one: `~84.0 %`.
void mark_derived(const ScalingExchange& exchange, page::Cell& hidden) {
  if (exchange.hidden_share && exchange.hidden_derived) hidden.text = "~" + hidden.text;
}

page::Table row_table(const Scaling& scaling) {
  std::vector<page::JoinedRow> rows;
  std::vector<const ScalingRow*> shown;
  bool all_ok = true;
  for (const ScalingSeries& series : scaling.series) {
    for (const ScalingRow& row : series.rows) {
      const ScalingStep* const ran = row.measured ? &*row.measured : nullptr;
      const ScalingStep* const expected = row.predicted ? &*row.predicted : nullptr;
      page::JoinedRow& joined = rows.emplace_back();
      if (ran != nullptr) joined.of(analyze::measured_step_fields(), ran);
      joined.of(analyze::predicted_step_fields(), expected)
          .of(analyze::measured_step_fields(), ran)
          .of(row)
          .of(series);
      shown.push_back(&row);
      all_ok = all_ok && row.status.value_or(record::Status::ok) == record::Status::ok;
    }
  }
  const auto columns = page::shown_as(
      all_ok ? page::Shown::csv : page::Shown::always, {"status"},
      page::columns_of(
          "model", "device", "precision", "scaling", "link", "device_count", "batch_per_device",
          "global_batch", "status", page::if_known("median_s", "step"),
          page::if_known("predicted_s"), page::if_known("predicted_low_s", "90 % within"),
          page::in_csv("predicted_high_s"), page::if_known("measured_over_predicted"),
          "samples_per_s", "speedup", page::beside_text("predicted_speedup"), "efficiency_share",
          page::in_csv("communication_s"), "communication_share", "hidden_share",
          page::if_known("load_imbalance_share", "imbalance"), page::if_known("verdict")));
  page::Table table = page::table_of(rows, columns);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (const auto& predicted = shown[i]->predicted; predicted && predicted->step_low_s) {
      page::cell_at(table, i, "predicted_low_s").text = format(
          "{} to {}", si(*predicted->step_low_s, "s", 3), si(*predicted->step_high_s, "s", 3));
    }
    mark_derived(shown[i]->step().exchange, page::cell_at(table, i, "hidden_share"));
  }
  page::move_constants_to_title(table, {"model", "device", "precision", "scaling", "link"});
  return table;
}

page::Table rank_table(const Scaling& scaling) {
  std::vector<page::JoinedRow> rows;
  std::vector<std::pair<const ScalingRow*, const ScalingRank*>> shown;
  for (const ScalingSeries& series : scaling.series) {
    for (const ScalingRow& row : series.rows) {
      for (const ScalingRank& rank : row.ranks) {
        rows.emplace_back().of(rank).of(row).of(series);
        shown.emplace_back(&row, &rank);
      }
    }
  }
  static constexpr auto columns = page::columns_of(
      "model", "device_name", "precision", "scaling", "link", "device_count", "rank",
      page::beside_text("host_name"), "device", page::titled("median_s", "step"),
      "core_utilization_share", "busy_share", "sm_efficiency_share", "occupancy_share",
      "communication_s", "communication_kernel_share",
      page::titled("communication_share", "of the step"), "hidden_share",
      page::if_known("allocated_peak_bytes", "allocated"),
      page::if_known("reserved_peak_bytes", "reserved"), page::if_known("device_used_bytes"),
      page::if_known("message"));
  page::Table table = page::table_of(rows, columns);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto& [row, rank] = shown[i];
    if (rank->slowest && row->ranks.size() > 1)
      page::cell_at(table, i, "rank").text += " (slowest)";
    mark_derived(rank->exchange, page::cell_at(table, i, "hidden_share"));
  }
  page::move_constants_to_title(table, {"model", "device_name", "precision", "scaling", "link"});
  table.title = "Ranks";
  return table;
}

/// Memory of a rank and of all, a row each for what was measured and predicted.
page::Table memory_table(const Scaling& scaling) {
  std::vector<page::JoinedRow> rows;
  for (const ScalingSeries& series : scaling.series) {
    for (const ScalingRow& row : series.rows) {
      const auto add = [&](std::string_view source, const std::optional<ScalingStep>& step,
                           std::span<const Field> fields) {
        if (!step || !step->rank_memory.is_known()) return;
        // Not the whole row: what was measured has no parts, its prediction has.
        rows.emplace_back()
            .own("source", source)
            .own("device_count", row.devices)
            .own("batch_per_device", row.batch_per_device)
            .of(fields, &*step)
            .of(step->memory_parts)
            .of(series);
      };
      add("measured", row.measured, analyze::measured_step_fields());
      add("predicted", row.predicted, analyze::predicted_step_fields());
    }
  }
  static constexpr auto columns = page::columns_of(
      "model", "device", "precision", "scaling", "device_count", "batch_per_device",
      page::titled("source", "memory"), page::if_known("device_used_bytes", "of a rank"),
      page::if_known("all_device_used_bytes", "of all"),
      page::if_known("allocated_peak_bytes", "allocated"),
      page::if_known("reserved_peak_bytes", "reserved"),
      page::if_known("saved_activation_bytes", "activations"), page::if_known("parameter_bytes"),
      page::if_known("gradient_bytes"), page::if_known("optimizer_bytes"),
      page::if_known("exchange_bytes"), page::if_known("context_bytes"),
      page::in_csv("all_allocated_peak_bytes"), page::in_csv("all_reserved_peak_bytes"));
  page::Table table = page::table_of(rows, columns);
  page::move_constants_to_title(table, {"model", "device", "precision", "scaling"});
  table.title = table.title.empty() ? "Memory" : format("Memory: {}", table.title);
  return table;
}

/// What the words of the tables mean, as far as they stand there.
void add_legend(bool measured, bool predicted, page::Remarks& notes) {
  notes.push_back(page::explains(
      "speed-up: samples/s over those of one device of the same series; communication: time of a"
      " step's all-reduces over the step's, hidden or not; hidden: the part of it behind other"
      " work."));
  if (!measured) return;
  notes.push_back(page::explains(
      "step: the longest of the ranks' medians; slowest: the rank that computes longest, by its"
      " step without exchange where that was timed; imbalance: how much longer it computes than"
      " the average; ~: derived from steps with and without exchange."));
  if (!predicted) return;
  notes.push_back(
      page::explains("Where a step was measured, samples/s and what follows are measured."));
}

page::Remarks notes_of(const Scaling& scaling) {
  page::Remarks notes;
  const auto add = [&notes](page::Remark note) { page::add_once(notes, std::move(note)); };
  bool measured = false;
  bool predicted = false;
  for (const ScalingSeries& series : scaling.series) {
    measured = measured || !series.is_predicted_alone();
    predicted = predicted || series.basis;
  }
  add_legend(measured, predicted, notes);
  for (const ScalingSeries& series : scaling.series) {
    if (const auto& basis = series.basis) {
      const std::string message =
          basis->link_latency_s > 0.0
              ? format(", {} per message", si(basis->link_latency_s, "s", 3))
              : "";
      add(format("Link {}: {} per direction{}.", basis->link, si(basis->link_bytes_per_s, "B/s", 3),
                 message));
    }
    for (const Note& note : series.notes) add(page::remark_on("", note));
    for (const ScalingRow& row : series.rows) {
      if (!row.message.empty()) {
        add({format("{}: {}", title_of(series, row), row.message), NoteRank::answers});
      }
      for (const Note& warning : row.warnings) {
        add(page::remark_on(title_of(series, row), warning));
      }
    }
  }
  for (const Note& note : scaling.notes) add(page::remark_on("", note));
  return notes;
}

/// What is in the memory's columns, and what no figure is known for.
page::Remarks memory_notes(const Scaling& scaling) {
  page::Remarks notes;
  notes.push_back(page::explains(
      "of a rank: on its device, with the driver's context; measured, of all processes there, the"
      " rank that has most; buckets: a copy of all gradients for their exchange."));
  chart::Names unknown;
  for (const ScalingSeries& series : scaling.series) {
    for (const ScalingRow& row : series.rows) {
      if (!row.predicted || !row.predicted->memory_parts) continue;
      for (const std::string& part : row.predicted->memory_parts->unknown) {
        chart::add_name(unknown, part);
      }
    }
  }
  if (!unknown.empty()) {
    notes.push_back(
        {format("not in the predicted memory: {}", join(unknown, ", ")), NoteRank::says});
  }
  return notes;
}

/// A step as a bar: its work, what the exchange adds (hidden communication takes no time).
chart::Bar step_bar(std::string label, const ScalingStep& step, std::optional<double> work_s) {
  const double step_s = step.step_s.value_or(0.0);
  const double work = std::min(step_s, step.exchange.alone_s.value_or(work_s.value_or(step_s)));
  return {std::move(label),
          si(step_s, "s"),
          {{"the step on one device", work, si(work, "s")},
           {"what the exchange adds", step_s - work, si(step_s - work, "s")}}};
}

void add_bars(const ScalingSeries& series, std::vector<chart::Bar>& bars) {
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

/// What a chart shows of a step, and how a point says it.
struct StepFigure {
  std::optional<double> (*value)(const ScalingStep& step);
  std::string (*text)(double value);
};

void add_line(const ScalingSeries& series, std::optional<ScalingStep> ScalingRow::*which, int color,
              const StepFigure& figure, chart::Chart& chart) {
  const bool predicted = which == &ScalingRow::predicted;
  chart::Series line;
  line.name = title_of(series) + (predicted ? ", predicted" : "");
  // The colour is the series', the mark says what is predicted, as on every page.
  line.marker = predicted ? chart::Marker::circle : chart::Marker::diamond;
  line.color = color % chart::neutral_color;
  line.joined = true;
  for (const ScalingRow& row : series.rows) {
    if (!(row.*which)) continue;
    const std::optional<double> value = figure.value(*(row.*which));
    if (!value) continue;
    line.points.push_back(
        {static_cast<double>(row.devices), *value, 0.4, "", {figure.text(*value)}});
  }
  if (!line.points.empty()) chart.series.push_back(std::move(line));
}

/// A figure over the number of devices, measured and predicted.
chart::Chart chart_by_devices(const Scaling& scaling, std::string title, chart::Axis y,
                              const StepFigure& figure) {
  chart::Chart chart;
  chart.title = std::move(title);
  chart.x = {.label = "devices", .unit = "", .whole = true};
  chart.y = std::move(y);
  int color = 0;
  for (const ScalingSeries& series : scaling.series) {
    add_line(series, &ScalingRow::measured, color, figure, chart);
    add_line(series, &ScalingRow::predicted, color, figure, chart);
    ++color;
  }
  return chart;
}

chart::Chart speedup_chart(const Scaling& scaling) {
  const StepFigure speedup = {[](const ScalingStep& step) { return step.speedup; },
                              [](double value) { return format("{:.2f}x", value); }};
  chart::Chart chart =
      chart_by_devices(scaling, "Speed-up", {.label = "speed-up", .unit = ""}, speedup);
  double most = 1.0;
  for (const ScalingSeries& series : scaling.series) {
    for (const ScalingRow& row : series.rows) most = std::max<double>(most, row.devices);
  }
  chart.guides.push_back(
      {.label = "ideal", .line = {{1.0, 1.0}, {most, most}}, .style = chart::LineStyle::dashed});
  return chart;
}

/// What all devices hold together, over their number.
chart::Chart memory_chart(const Scaling& scaling) {
  const StepFigure memory = {[](const ScalingStep& step) -> std::optional<double> {
                               const std::optional<Bytes> all = step.all_memory.most();
                               return all ? std::optional(all->as_double()) : std::nullopt;
                             },
                             [](double value) { return si(value, "B"); }};
  return chart_by_devices(scaling, "Memory of all devices", {.label = "memory in all", .unit = "B"},
                          memory);
}

/// The speed-up on the most devices, and how near to the ideal it is.
std::string answer_of(const ScalingSeries& series) {
  const auto last = std::ranges::max_element(series.rows, {}, &ScalingRow::devices);
  if (last == series.rows.end() || !last->step().speedup || last->devices < 2) return {};
  return format("{} are {:.2f} times as fast as one: {:.0f} % efficiency.", title_of(series, *last),
                *last->step().speedup, 100.0 * *last->step().efficiency);
}

/// `Data-parallel training of resnet50 on h200-sxm`, `predicted` behind it where nothing ran.
std::string title_of(const Scaling& scaling) {
  chart::Names models;
  chart::Names devices;
  for (const ScalingSeries& series : scaling.series) {
    chart::add_name(models, series.model);
    chart::add_name(devices, series.device);
  }
  const bool predicted = std::ranges::all_of(scaling.series, &ScalingSeries::is_predicted_alone);
  return format("Data-parallel training of {} on {}{}", join(models, ", "), join(devices, ", "),
                predicted ? ", predicted" : "");
}

}  // namespace

page::Document scaling_view(const Scaling& scaling, std::string_view command,
                            std::string command_line, Findings found) {
  page::Document document;
  document.title = title_of(scaling);
  document.subtitle =
      "One process per device, gradients averaged by all-reduces during the backward pass.";
  document.command = std::move(command_line);
  document.json = command_json(command, to_json(scaling));
  show_findings(document, found, true);
  page::PageSection speedup{.heading = "Speed-up"};
  page::PageSection steps{.heading = "Steps",
                          .in_text = true,
                          .tables = {row_table(scaling)},
                          .notes = notes_of(scaling)};
  page::PageSection ranks{.heading = "Ranks", .in_text = true};
  page::PageSection bars{.heading = "What a step is made of",
                         .bar_scale = chart::BarScale::absolute};
  for (const ScalingSeries& series : scaling.series) {
    if (std::string sentence = answer_of(series); !sentence.empty()) {
      document.answer.push_back(std::move(sentence));
    }
    add_bars(series, bars.bars);
  }
  chart::Chart chart = speedup_chart(scaling);
  if (!chart.series.empty()) speedup.charts.push_back({"", std::move(chart), {1200, 700}});
  page::add_filled(ranks.tables, rank_table(scaling));
  page::PageSection memory{.heading = "Memory", .in_text = true};
  page::add_filled(memory.tables, memory_table(scaling));
  if (!memory.tables.empty()) memory.notes = memory_notes(scaling);
  chart::Chart memory_of_all = memory_chart(scaling);
  if (!memory_of_all.series.empty()) {
    memory.charts.push_back({"", std::move(memory_of_all), {1200, 700}});
  }
  document.sections = {std::move(speedup), std::move(steps), std::move(memory), std::move(ranks),
                       std::move(bars)};
  name_models_by_stem(document, scaling.series,
                      [](const ScalingSeries& series) { return series.model; });
  return document;
}

}  // namespace rooflab::report
