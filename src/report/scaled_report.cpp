#include "rooflab/report/scaled_report.hpp"

#include <algorithm>

#include "cells.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/text.hpp"
#include "scaling_parts.hpp"

namespace rooflab::report {
namespace {

using analyze::ScaledCase;
using predict::ScaledStep;

Cell interval_cell(const ScaledCase& scaled, const ScaledStep& step) {
  if (!scaled.has_interval(step)) return dash();
  return {format("{} to {}", si(step.low.value, "s", 3), si(step.high.value, "s", 3)), ""};
}

Cell bare(std::optional<double> value) { return value ? Cell("", format("{}", *value)) : Cell(); }

std::vector<Cell> row_of(const ScaledCase& scaled, const ScaledStep& step) {
  const bool interval = scaled.has_interval(step);
  return {scaled.model,
          scaled.device.id,
          std::string(name_of(scaled.precision)),
          std::string(name_of(scaled.scaling)),
          scaled.link,
          count_cell(step.gpus),
          count_cell(step.batch_per_gpu),
          count_cell(step.global_batch),
          si_cell(step.time.value, "s"),
          interval_cell(scaled, step),
          bare(interval ? std::optional(step.low.value) : std::nullopt),
          bare(interval ? std::optional(step.high.value) : std::nullopt),
          rate_cell(step.images_per_s),
          factor_cell(scaled.speedup(step)),
          percent_cell(scaled.efficiency(step)),
          si_cell(step.communication.value, "s"),
          optional_percent(ScaledCase::hidden_share(step))};
}

Table step_table(std::span<const ScaledCase> cases) {
  Table table;
  table.columns = {{"model", "model", Align::left},
                   {"device", "device", Align::left},
                   {"precision", "precision", Align::left},
                   {"scaling", "scaling", Align::left},
                   {"link", "link", Align::left},
                   {"gpus", "GPUs"},
                   {"batch_per_gpu", "batch a GPU"},
                   {"global_batch", "global"},
                   {"step_s", "step"},
                   {"interval", "90 % within"},
                   {"step_low_s", "low", Align::right, true},
                   {"step_high_s", "high", Align::right, true},
                   {"images_per_s", "images/s"},
                   {"speedup", "speed-up"},
                   {"efficiency", "efficiency"},
                   {"communication_s", "communication"},
                   {"hidden_share", "hidden"}};
  for (const ScaledCase& scaled : cases) {
    for (const ScaledStep& step : scaled.steps) table.rows.push_back(row_of(scaled, step));
  }
  // What is the same in every row is said once.
  std::vector<std::string> shared;
  for (std::size_t column = 0; column < 5 && !table.rows.empty(); ++column) {
    const std::string& first = table.rows.front()[column].text;
    const bool same = std::ranges::all_of(
        table.rows, [&](const std::vector<Cell>& row) { return row[column].text == first; });
    if (!same) continue;
    table.columns[column].only_in_csv = true;
    shared.push_back(column == 3 ? first + " scaling" : column == 4 ? "link " + first : first);
  }
  table.title = join(shared, ", ");
  return table;
}

Json step_json(const ScaledCase& scaled, const ScaledStep& step) {
  const bool interval = scaled.has_interval(step);
  Json json;
  json["gpus"] = step.gpus;
  json["batch_per_gpu"] = step.batch_per_gpu;
  json["global_batch"] = step.global_batch;
  json["step_s"] = step.time.value;
  json["step_low_s"] = interval ? Json(step.low.value) : Json();
  json["step_high_s"] = interval ? Json(step.high.value) : Json();
  json["compute_s"] = step.compute.value;
  json["images_per_s"] = step.images_per_s;
  json["speedup"] = scaled.speedup(step);
  json["efficiency"] = scaled.efficiency(step);
  json["communication_s"] = step.communication.value;
  json["hidden_s"] = step.hidden.value;
  json["hidden_share"] = json_or_null(ScaledCase::hidden_share(step));
  json["slowdown"] = step.slowdown;
  json["bucket_bytes"] = step.bucket_bytes;
  return json;
}

Json case_json(const ScaledCase& scaled) {
  Json json;
  json["model"] = scaled.model;
  json["device"] = scaled.device.id;
  json["precision"] = name_of(scaled.precision);
  json["phase"] = "training";
  json["scaling"] = name_of(scaled.scaling);
  json["prediction_model"] = name_of(scaled.prediction_model);
  json["link"] = scaled.link;
  json["link_bandwidth"] = scaled.link_bandwidth;
  json["link_latency_s"] = scaled.link_latency_s;
  json["all_reduce"] = scaled.algorithm;
  json["one_device_step_s"] = scaled.one.time.value;
  json["steps"] = Json::array();
  for (const ScaledStep& step : scaled.steps) json["steps"].push_back(step_json(scaled, step));
  json["notes"] = scaled.notes;
  json["command"] = scaled.command;
  return json;
}

void add_notes(std::span<const ScaledCase> cases, Document& document) {
  document.notes.emplace_back(
      "communication: the sum of a step's all-reduces, each by itself; hidden: the part behind the"
      " backward pass. Speed-up: images/s against one device of the same study.");
  const auto add = [&document](const std::string& note) {
    if (std::ranges::find(document.notes, note) == document.notes.end()) {
      document.notes.push_back(note);
    }
  };
  for (const ScaledCase& scaled : cases) {
    const auto messages = scaled.link_latency_s > 0.0
                              ? format(", {} a message", si(scaled.link_latency_s, "s", 3))
                              : std::string();
    add(format("Link {}: {} a direction{}.", scaled.link, si(scaled.link_bandwidth, "B/s", 3),
               messages));
    for (const std::string& note : scaled.notes) add(note);
  }
}

}  // namespace

Document scaled_report(std::span<const ScaledCase> cases) {
  Document document;
  document.title = "Predicted data-parallel training";
  document.tables.push_back(step_table(cases));
  add_notes(cases, document);
  document.json["schema_version"] = schema_version;
  document.json["command"] = "predict";
  document.json["scaled_cases"] = Json::array();
  for (const ScaledCase& scaled : cases) {
    document.json["scaled_cases"].push_back(case_json(scaled));
  }
  return document;
}

Page scaled_page(std::span<const ScaledCase> cases, std::string command) {
  Document document = scaled_report(cases);
  Page page = scaling_page(document.title, std::move(command));
  std::vector<SpeedupLine> lines;
  PageSection steps = step_section();
  for (const ScaledCase& scaled : cases) {
    const std::string name =
        format("{} on {}, {}", scaled.model, scaled.device.name, name_of(scaled.precision));
    SpeedupLine line{.name = name, .predicted = true, .points = {}};
    for (const ScaledStep& step : scaled.steps) {
      line.points.push_back({static_cast<double>(step.gpus), scaled.speedup(step)});
      steps.bars.push_back(
          step_bar(format("{}, {} GPUs", name, step.gpus), step.time.value, step.compute.value));
    }
    if (!scaled.steps.empty()) {
      const ScaledStep& last = scaled.steps.back();
      page.cards.push_back(speedup_card(format("{}, {} GPUs", name, last.gpus),
                                        scaled.speedup(last), scaled.efficiency(last)));
    }
    lines.push_back(std::move(line));
  }
  PageSection speedup{.heading = "Speed-up"};
  speedup.charts.push_back({"", speedup_chart("Predicted speed-up", lines), {1200, 700}});
  PageSection table{
      .heading = "Steps", .tables = std::move(document.tables), .notes = std::move(document.notes)};
  page.sections = {std::move(speedup), std::move(table), std::move(steps)};
  return page;
}

}  // namespace rooflab::report
