#include "rooflab/report/predict_report.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "case_columns.hpp"
#include "cells.hpp"
#include "layer_json.hpp"
#include "memory_json.hpp"
#include "prediction_json.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::report {
namespace {

using analyze::CaseResult;
using analyze::PredictionModel;

std::optional<Seconds> predicted_layer(const CaseResult& result, std::size_t layer) {
  return result.predicted_layers.empty() ? std::nullopt : result.predicted_layers[layer];
}

Json case_json(const CaseResult& result) {
  Json json;
  json["model"] = result.model;
  json["device"] = result.device.id;
  json["batch"] = result.batch;
  json["phase"] = name_of(result.phase);
  json["precision"] = name_of(result.precision);
  json["limit_time_s"] = seconds_json(result.limit.time);
  add_prediction_json(result, json);
  json["ideal_time_s"] = seconds_json(result.limit.ideal_time);
  json["bound"] = result.limit.time ? Json(name_of(result.limit.bound)) : Json();
  json["intensity"] = result.limit.intensity();
  json["ridge_point"] = result.limit.ridge_point ? Json(*result.limit.ridge_point) : Json();
  json["arithmetic_path"] =
      result.limit.main_path ? Json(name_of(*result.limit.main_path)) : Json();
  json["parameters"] = result.count.parameters;
  json["macs"] = result.limit.macs.value();
  json["flops"] = result.limit.flops().value();
  json["matrix_flops"] = result.limit.matrix_flops.value();
  json["vector_flops"] = result.limit.vector_flops.value();
  json["flops_by_path"] = Json::object();
  for (const auto& [path, flops] : result.limit.flops_by_path) {
    json["flops_by_path"][std::string(name_of(path))] = flops.value();
  }
  json["compulsory_bytes"] = result.limit.compulsory_bytes.value();
  json["ideal_bytes"] = result.limit.ideal_bytes.value();
  json["memory"] = memory_json(result.memory);
  json["device_memory_bytes"] =
      result.device.memory ? Json(static_cast<std::int64_t>(result.device.memory->value)) : Json();
  json["verdict"] = result.fit ? Json(name_of(result.fit->verdict)) : Json();
  json["margin"] = result.fit ? Json(result.fit->margin) : Json();
  json["coverage"] = result.count.coverage();
  json["counted_nodes"] = result.count.counted_nodes;
  json["computing_nodes"] = result.count.computing_nodes;
  json["uncounted"] = uncounted_json(result.count);
  json["notes"] = result.notes;
  json["command_line"] = result.command;
  json["layers"] = Json::array();
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const analyze::LayerRow& layer = result.layers[i];
    Json row = layer_json(layer);
    row["data_gradient_flops"] = layer.counted ? Json(layer.data_gradient_flops.value()) : Json();
    row["weight_gradient_flops"] =
        layer.counted ? Json(layer.weight_gradient_flops.value()) : Json();
    row["time_s"] = seconds_json(layer.time);
    row["bound"] = layer.time ? Json(name_of(layer.bound)) : Json();
    row["predicted_time_s"] = seconds_json(predicted_layer(result, i));
    json["layers"].push_back(std::move(row));
  }
  return json;
}

Cell ridge_cell(const predict::NetworkLimit& limit) {
  return limit.ridge_point
             ? Cell(format("{:.1f}", *limit.ridge_point), format("{}", *limit.ridge_point))
             : dash();
}

std::vector<Cell> comparison_row(const CaseResult& result) {
  const predict::NetworkLimit& limit = result.limit;
  const bool interval = result.has_interval();
  return {result.model,
          result.device.id,
          Cell(std::to_string(result.batch)),
          std::string(name_of(result.phase)),
          std::string(name_of(result.precision)),
          seconds_cell(limit.time),
          seconds_cell(result.predicted_time()),
          seconds_cell(interval ? std::optional(result.prediction->low) : std::nullopt),
          seconds_cell(interval ? std::optional(result.prediction->high) : std::nullopt),
          seconds_cell(result.percent_time),
          seconds_cell(limit.ideal_time),
          limit.time ? Cell(std::string(name_of(limit.bound))) : dash(),
          Cell(format("{:.1f}", limit.intensity()), format("{}", limit.intensity())),
          ridge_cell(limit),
          si_cell(limit.macs.value(), ""),
          si_cell(limit.flops().value(), ""),
          si_cell(limit.compulsory_bytes.value(), "B"),
          si_cell(result.memory.saved_activations.value(), "B"),
          si_cell(result.memory.total.value(), "B"),
          result.device.memory ? si_cell(result.device.memory->value, "B") : dash(),
          result.fit ? percent_cell(result.fit->margin) : dash(),
          result.fit ? Cell(std::string(name_of(result.fit->verdict))) : dash(),
          percent_cell(result.count.coverage())};
}

/// Columns of times that no case has are for CSV alone; the percent of peak's is not shown twice.
void hide_empty_times(std::span<const CaseResult> cases, Table& table) {
  const auto show = [&](std::string_view key, auto has) {
    std::ranges::find(table.columns, key, &Column::key)->only_in_csv =
        std::ranges::none_of(cases, has);
  };
  show("predicted_time_s", [](const CaseResult& c) { return c.predicted_time().has_value(); });
  show("low_s", [](const CaseResult& c) { return c.has_interval(); });
  show("high_s", [](const CaseResult& c) { return c.has_interval(); });
  show("ppp_time_s", [](const CaseResult& c) {
    return c.percent_time && c.prediction_model != PredictionModel::ppp;
  });
}

/// Beside a prediction a terminal has no room for what is of the network: `summary` says it, and so
/// do the other formats.
void leave_room_for_predictions(Table& table) {
  const auto is_shown = [&](std::string_view key) {
    return !std::ranges::find(table.columns, key, &Column::key)->only_in_csv;
  };
  if (!is_shown("predicted_time_s")) return;
  for (Column& column : table.columns) {
    for (const std::string_view key :
         {"ideal_time_s", "intensity", "ridge_point", "macs", "flops", "compulsory_bytes",
          "saved_activation_bytes", "device_memory_bytes", "margin"}) {
      if (column.key == key) column.too_wide = true;
    }
  }
}

Table comparison_of(std::span<const CaseResult> cases) {
  Table table;
  table.columns = case_columns({{"limit_time_s", "limit"},
                                {"predicted_time_s", "predicted"},
                                {"low_s", "low"},
                                {"high_s", "high"},
                                {"ppp_time_s", "ppp"},
                                {"ideal_time_s", "ideal"},
                                {"bound", "bound", Align::left},
                                {"intensity", "FLOP/B"},
                                {"ridge_point", "ridge"},
                                {"macs", "MACs"},
                                {"flops", "FLOPs"},
                                {"compulsory_bytes", "bytes"},
                                {"saved_activation_bytes", "saved"},
                                {"total_memory_bytes", "memory"},
                                {"device_memory_bytes", "device has"},
                                {"margin", "margin"},
                                {"verdict", "verdict", Align::left},
                                {"coverage", "coverage"}});
  for (const CaseResult& result : cases) table.rows.push_back(comparison_row(result));
  move_constants_to_title(table);
  hide_empty_times(cases, table);
  leave_room_for_predictions(table);
  // Full coverage goes without saying.
  table.columns.back().only_in_csv = std::ranges::all_of(
      cases, [](const CaseResult& result) { return result.count.uncounted.empty(); });
  return table;
}

std::string memory_note(std::span<const CaseResult> cases) {
  const auto is_whole = [](const CaseResult& c) { return c.memory.unknown.empty(); };
  const std::string what = "memory: what the framework's allocator reserves";
  if (!cases.empty() && std::ranges::all_of(cases, is_whole)) {
    return what +
           ", and the context; 'fits' goes by the largest workspaces to reckon with"
           " (most_total_bytes).";
  }
  if (std::ranges::any_of(cases, is_whole)) {
    return what +
           "; workspace and context are known for calibrated devices only, elsewhere the verdict is"
           " at best 'tight'.";
  }
  return what +
         "; workspace and context are unknown for an uncalibrated device, so the verdict is at best"
         " 'tight'.";
}

/// Whom a note of a prediction is about: `vgg16 on t4`; `t4` where it is said of everything there;
/// several devices where it is said of everything on each.
std::string who_shares(std::span<const CaseResult> cases, const CaseResult& result,
                       const std::string& note) {
  struct Sharing {
    std::set<std::string> models;
    bool all = true;
  };
  std::vector<std::pair<std::string, Sharing>> devices;  // in their order
  for (const CaseResult& each : cases) {
    const auto known = std::ranges::find(devices, each.device.id, [](auto& d) { return d.first; });
    Sharing& sharing = known == devices.end()
                           ? devices.emplace_back(each.device.id, Sharing{}).second
                           : known->second;
    sharing.models.insert(each.model);
    sharing.all = sharing.all && each.prediction &&
                  std::ranges::find(each.prediction->notes, note) != each.prediction->notes.end();
  }
  std::vector<std::string> whole;
  bool several = false;  // one network on one device is named
  for (const auto& [id, sharing] : devices) {
    if (!sharing.all) continue;
    whole.push_back(id);
    several = several || sharing.models.size() > 1;
  }
  const bool among = std::ranges::find(whole, result.device.id) != whole.end();
  if (!among || (whole.size() == 1 && !several)) {
    return format("{} on {}", result.model, result.device.id);
  }
  return join(whole, ", ");
}

/// What the columns are, then what is to be known of single cases.
std::vector<std::string> notes_of(std::span<const CaseResult> cases) {
  std::vector<std::string> notes;
  const auto add = [&notes](std::string line) {
    if (std::ranges::find(notes, line) == notes.end()) notes.push_back(std::move(line));
  };
  add("limit: each op at the roofline, summed; ideal: the whole network as one fused op. Bounds,"
      " not predictions.");
  if (std::ranges::any_of(cases, [](const CaseResult& c) { return c.has_interval(); })) {
    add("predicted: the expected time from measured ops; in 90 % of cases it lies between low and"
        " high.");
  }
  for (const CaseResult& result : cases) {
    if (!result.percent) continue;
    add(
        format("{}: each op at {:g} % of the arithmetic peak and {:g} % of the bandwidth, summed"
               " (PALEO).",
               result.prediction_model == PredictionModel::ppp ? "predicted" : "ppp",
               100.0 * result.percent->compute, 100.0 * result.percent->memory));
  }
  add(memory_note(cases));
  for (const CaseResult& result : cases) {
    for (const std::string& note : result.notes) add(format("{}: {}", result.model, note));
    if (!result.prediction) continue;
    for (const std::string& note : result.prediction->notes) {
      add(format("{}: {}", who_shares(cases, result, note), note));
    }
    // An uncalibrated device's are in the note above.
    if (result.memory.unknown.empty() || !result.memory.workspace) continue;
    add(format("{} on {}: not in the memory: {}", result.model, result.device.id,
               join(result.memory.unknown, ", ")));
  }
  return notes;
}

}  // namespace

Table layer_limit_table(const CaseResult& result) {
  Table table;
  table.title = format("{} on {}, batch {}, {}, {}", result.model, result.device.name, result.batch,
                       name_of(result.phase), name_of(result.precision));
  table.columns = {{"name", "layer", Align::left},
                   {"op", "op", Align::left},
                   {"output_shape", "output", Align::left},
                   {"parameters", "parameters"},
                   {"macs", "MACs"},
                   {"flops", "FLOPs"},
                   {"bytes", "bytes"},
                   {"intensity", "FLOP/B"},
                   {"time_s", "limit"},
                   {"time_share", "share"},
                   {"bound", "bound", Align::left}};
  const bool predicted = !result.predicted_layers.empty();
  if (predicted) table.columns.push_back({"predicted_time_s", "predicted"});
  const double total = result.limit.time ? result.limit.time->value : 0.0;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const analyze::LayerRow& layer = result.layers[i];
    const bool timed = layer.time.has_value() && total > 0.0;
    table.rows.push_back(
        {layer.name, layer.op, layer.output_shape ? layer.output_shape->to_string() : "-",
         layer.parameters > 0 ? count_cell(layer.parameters) : Cell("-", "0"),
         layer.counted ? si_cell(layer.macs.value(), "") : Cell("not counted", ""),
         layer.counted ? si_cell(layer.flops().value(), "") : Cell("not counted", ""),
         layer.counted ? si_cell(layer.bytes.value(), "B") : Cell("not counted", ""),
         layer.counted ? Cell(format("{:.2f}", layer.intensity()), format("{}", layer.intensity()))
                       : dash(),
         seconds_cell(layer.time), timed ? percent_cell(layer.time->value / total) : dash(),
         layer.time ? Cell(std::string(name_of(layer.bound))) : dash()});
    if (predicted) table.rows.back().push_back(seconds_cell(result.predicted_layers[i]));
  }
  return table;
}

Document predict_report(std::span<const CaseResult> cases) {
  Document document;
  document.title = "Limits and memory";
  document.tables.push_back(comparison_of(cases));
  document.notes = notes_of(cases);
  document.json["schema_version"] = schema_version;
  document.json["command"] = "predict";
  document.json["cases"] = Json::array();
  for (const CaseResult& result : cases) document.json["cases"].push_back(case_json(result));
  return document;
}

}  // namespace rooflab::report
