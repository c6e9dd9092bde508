#include "rooflab/report/fit_report.hpp"

#include <algorithm>

#include "cells.hpp"
#include "rooflab/base/fields.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::report {
namespace {

using analyze::FitPoint;
using analyze::FitResult;
using analyze::FitTry;
using Counts = std::vector<std::int64_t>;

/// `512`; `conv 61, fc 62`. In CSV `conv=61 fc=62`.
Cell counts_cell(const FitResult& result, const Counts& counts, bool end_of_range = false) {
  if (counts.empty()) return dash();
  if (counts.size() == 1) {
    const std::string count = std::to_string(counts.front());
    return {end_of_range ? count + "+" : count, count};
  }
  std::vector<std::string> shown;
  std::vector<std::string> raw;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    shown.push_back(format("{} {}", result.names[i], counts[i]));
    raw.push_back(format("{}={}", result.names[i], counts[i]));
  }
  return {join(shown, ", ") + (end_of_range ? "+" : ""), join(raw, " ")};
}

Json counts_json(const FitResult& result, const Counts& counts) {
  if (counts.empty()) return nullptr;
  Json json = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) json[result.names[i]] = counts[i];
  return json;
}

Table boundary_table(const FitResult& result) {
  const bool searched =
      std::ranges::any_of(result.points, [](const FitPoint& point) { return point.searched; });
  Table table;
  table.title =
      format("{} on {} ({}), {}, {}", result.model, result.device,
             si(result.memory.as_double(), "B"), name_of(result.phase), name_of(result.precision));
  table.columns = {{"varied", "varied", Align::left},
                   {"fits", "fits"},
                   {"largest", "largest"},
                   {"allocated_peak_bytes", "allocated"},
                   {"total_memory_bytes", "memory"},
                   {"step_s", result.prediction},
                   {"found", "found", Align::right, !searched},
                   {"ratio", "ratio", Align::right, !searched},
                   {"found_step_s", "measured", Align::right, !searched}};
  for (const FitPoint& point : result.points) {
    const std::optional<Bytes> allocated =
        point.memory ? std::optional(point.memory->allocated_peak) : std::nullopt;
    const std::optional<Bytes> total =
        point.memory ? std::optional(point.memory->total) : std::nullopt;
    table.rows.push_back(
        {point.varied, counts_cell(result, point.comfortable),
         counts_cell(result, point.counts, point.end_of_range), bytes_cell(allocated),
         bytes_cell(total),
         seconds_cell(point.step ? std::optional(point.step->value) : std::nullopt),
         counts_cell(result, point.found, point.found_end_of_range),
         point.ratio ? Cell(format("{:.3f}", *point.ratio), format("{}", *point.ratio)) : dash(),
         seconds_cell(point.found_step_s)});
  }
  return table;
}

Table memory_table(const FitResult& result) {
  Table table;
  table.title = "Memory at the predicted boundary";
  table.columns = {{"varied", "varied", Align::left},
                   {"parameters_bytes", "parameters"},
                   {"gradients_bytes", "gradients"},
                   {"optimizer_bytes", "optimizer"},
                   {"input_bytes", "input"},
                   {"saved_activations_bytes", "saved"},
                   {"peak_activations_bytes", "activations"},
                   {"workspace_bytes", "workspace"},
                   {"reserved_bytes", "reserved"},
                   {"context_bytes", "context"}};
  for (const FitPoint& point : result.points) {
    if (!point.memory) continue;
    const predict::MemoryEstimate& memory = *point.memory;
    table.rows.push_back({point.varied, bytes_cell(memory.parameters), bytes_cell(memory.gradients),
                          bytes_cell(memory.optimizer), bytes_cell(memory.input),
                          bytes_cell(memory.saved_activations), bytes_cell(memory.peak_activations),
                          bytes_cell(memory.workspace), bytes_cell(memory.reserved),
                          bytes_cell(memory.context)});
  }
  return table;
}

Table tries_table(const FitResult& result) {
  Table table;
  table.title = "Tries on the device";
  table.columns = {{"counts", "counts"},
                   {"status", "status", Align::left},
                   {"step_s", "step"},
                   {"allocated_peak_bytes", "allocated"},
                   {"reserved_peak_bytes", "reserved"}};
  for (const FitTry& each : result.tries) {
    table.rows.push_back({counts_cell(result, each.counts), std::string(name_of(each.status)),
                          seconds_cell(each.step_s), bytes_cell(each.allocated_peak),
                          bytes_cell(each.reserved_peak)});
  }
  return table;
}

Json point_json(const FitResult& result, const FitPoint& point) {
  Json json;
  json["varied"] = point.varied;
  json["fits"] = counts_json(result, point.comfortable);
  json["largest"] = counts_json(result, point.counts);
  json["end_of_range"] = point.end_of_range;
  json["memory"] = codec::encode(point.memory);
  json["step_s"] = point.step ? Json(point.step->value) : Json();
  if (point.searched) {
    json["found"] = counts_json(result, point.found);
    json["found_end_of_range"] = point.found_end_of_range;
    json["found_step_s"] = json_or_null(point.found_step_s);
    json["ratio"] = json_or_null(point.ratio);
  }
  return json;
}

Json result_json(const FitResult& result) {
  Json json;
  json["schema_version"] = schema_version;
  json["command"] = "fit";
  json["model"] = result.model;
  json["device"] = result.device;
  json["memory_bytes"] = result.memory.value();
  json["limited"] = result.limited;
  json["phase"] = name_of(result.phase);
  json["precision"] = name_of(result.precision);
  json["step"] = result.prediction;
  json["points"] = Json::array();
  for (const FitPoint& point : result.points) json["points"].push_back(point_json(result, point));
  json["tries"] = Json::array();
  for (const FitTry& each : result.tries) {
    json["tries"].push_back({{"counts", counts_json(result, each.counts)},
                             {"status", name_of(each.status)},
                             {"step_s", json_or_null(each.step_s)},
                             {"allocated_peak_bytes", json_or_null(each.allocated_peak)},
                             {"reserved_peak_bytes", json_or_null(each.reserved_peak)},
                             {"message", each.message}});
  }
  json["notes"] = result.notes;
  json["command_line"] = result.command;
  return json;
}

}  // namespace

Document fit_report(const FitResult& result) {
  Document document;
  document.title = "What fits";
  document.tables.push_back(boundary_table(result));
  if (std::ranges::any_of(result.points, [](const FitPoint& p) { return p.memory.has_value(); })) {
    document.tables.push_back(memory_table(result));
  }
  if (!result.tries.empty()) document.tables.push_back(tries_table(result));
  document.notes.push_back(
      "fits: a margin of 10 % with nothing unknown; largest: the last before memory runs out, when"
      " the allocator gives idle segments back and convolutions make do with less workspace.");
  if (std::ranges::any_of(result.points, [](const FitPoint& p) { return p.end_of_range; })) {
    document.notes.push_back("+: the range asked for ends there, more would fit.");
  }
  if (!result.tries.empty()) {
    document.notes.push_back(
        "found: the last that ran on the device, each try in a process of its own; near the edge a"
        " step may be slow, because the allocator frees and asks again. ratio: predicted over found"
        " counts.");
  }
  document.notes.insert(document.notes.end(), result.notes.begin(), result.notes.end());
  document.json = result_json(result);
  return document;
}

}  // namespace rooflab::report
