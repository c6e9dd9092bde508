#include "rooflab/report/summary_report.hpp"

#include "cells.hpp"
#include "layer_json.hpp"
#include "rooflab/analyze/layer_table.hpp"
#include "rooflab/analyze/network_count.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/memory_model.hpp"

namespace rooflab::report {
namespace {

struct Summary {
  const schedule::Schedule& schedule;
  const SummaryRequest& request;
  predict::NetworkLimit totals;  ///< costs only
  analyze::NetworkCount count;
  Bytes saved;
  std::vector<analyze::LayerRow> layers;
};

Json json_of(const Summary& summary) {
  Json json;
  json["schema_version"] = schema_version;
  json["command"] = "summary";
  json["model"] = summary.request.model;
  json["batch"] = summary.schedule.graph.batch();
  json["phase"] = name_of(summary.schedule.phase);
  json["precision"] = name_of(summary.schedule.precision);
  Json& totals = json["totals"];
  totals["parameters"] = summary.count.parameters;
  totals["macs"] = summary.totals.macs.value();
  totals["matrix_flops"] = summary.totals.matrix_flops.value();
  totals["vector_flops"] = summary.totals.vector_flops.value();
  totals["flops"] = summary.totals.flops().value();
  totals["compulsory_bytes"] = summary.totals.compulsory_bytes.value();
  totals["activation_bytes"] = summary.count.activation_bytes.value();
  totals["saved_bytes"] = summary.saved.value();
  totals["intensity"] = summary.totals.intensity();
  totals["coverage"] = summary.count.coverage();
  if (summary.totals.causal_macs != summary.totals.macs) {
    totals["causal_macs"] = summary.totals.causal_macs.value();
  }
  json["memory"] = {{"input_bytes", summary.count.input_bytes.value()},
                    {"parameter_bytes", summary.count.parameter_bytes.value()},
                    {"activation_bytes", summary.count.activation_bytes.value()}};
  json["uncounted"] = uncounted_json(summary.count);
  json["notes"] = summary.request.notes;
  json["layers"] = Json::array();
  for (const analyze::LayerRow& layer : summary.layers) json["layers"].push_back(layer_json(layer));
  return json;
}

std::vector<Cell> row_of(const analyze::LayerRow& layer) {
  const auto figure = [&layer](std::int64_t value, std::string_view unit) {
    return layer.counted ? si_cell(value, unit) : Cell("not counted", "");
  };
  return {layer.name,
          layer.op,
          layer.output_shape ? layer.output_shape->to_string() : "-",
          layer.parameters > 0 ? count_cell(layer.parameters) : Cell("-", "0"),
          figure(layer.macs.value(), ""),
          figure(layer.matrix_flops.value(), ""),
          figure(layer.vector_flops.value(), ""),
          figure(layer.bytes.value(), "B"),
          layer.counted ? Cell(format("{:.2f}", layer.intensity()), format("{}", layer.intensity()))
                        : dash()};
}

Table layer_table_of(const Summary& summary) {
  Table table;
  table.title =
      format("{}, batch {}, {}, {}", summary.request.model, summary.schedule.graph.batch(),
             name_of(summary.schedule.phase), name_of(summary.schedule.precision));
  table.columns = {{"name", "layer", Align::left},
                   {"op", "op", Align::left},
                   {"output_shape", "output", Align::left},
                   {"parameters", "parameters"},
                   {"macs", "MACs"},
                   {"matrix_flops", "matrix FLOPs"},
                   {"vector_flops", "vector FLOPs"},
                   {"bytes", "bytes"},
                   {"intensity", "FLOP/B"}};
  for (const analyze::LayerRow& layer : summary.layers) table.rows.push_back(row_of(layer));
  const bool complete = summary.count.uncounted.empty();
  table.totals.push_back({complete ? "total" : "total of what was counted", "", "",
                          count_cell(summary.count.parameters),
                          si_cell(summary.totals.macs.value(), ""),
                          si_cell(summary.totals.matrix_flops.value(), ""),
                          si_cell(summary.totals.vector_flops.value(), ""),
                          si_cell(summary.totals.compulsory_bytes.value(), "B"),
                          Cell(format("{:.2f}", summary.totals.intensity()))});
  return table;
}

/// The four figures that torchsummary prints, in its units (MB there means 2^20 bytes).
std::vector<std::string> torchsummary_lines(const analyze::NetworkCount& count) {
  const std::int64_t passes = 2 * count.activation_bytes.value();
  const std::int64_t total = count.input_bytes.value() + passes + count.parameter_bytes.value();
  return {
      format("Input size (MiB): {}", mebibytes(count.input_bytes.value())),
      format("Forward/backward pass size (MiB): {} (2 x all layer outputs, as torchsummary has it)",
             mebibytes(passes)),
      format("Params size (MiB): {}", mebibytes(count.parameter_bytes.value())),
      format("Estimated Total Size (MiB): {}", mebibytes(total))};
}

std::vector<std::string> notes_of(const Summary& summary) {
  std::vector<std::string> notes = torchsummary_lines(summary.count);
  if (summary.schedule.phase != Phase::inference) {
    notes.push_back(format("Kept for backward after the forward pass: {} ({} MiB)",
                           si(summary.saved.as_double(), "B"), mebibytes(summary.saved.value())));
  }
  notes.push_back(format("Total FLOPs of the phase: {} (1 MAC = 2 FLOP)",
                         si(summary.totals.flops().as_double(), "")));
  if (summary.totals.causal_macs != summary.totals.macs) {
    notes.push_back(
        format("Causal attention is counted in full; the visible half alone makes {} MACs",
               si(summary.totals.causal_macs.as_double(), "")));
  }
  notes.push_back(format("Coverage: {} of {} nodes counted", summary.count.counted_nodes,
                         summary.count.computing_nodes));
  for (const analyze::UncountedOp& op : summary.count.uncounted) {
    notes.push_back(format("not counted: {} x {}", op.count, op.op));
  }
  notes.insert(notes.end(), summary.request.notes.begin(), summary.request.notes.end());
  return notes;
}

}  // namespace

Document summary_report(const schedule::Schedule& schedule, const SummaryRequest& request) {
  Summary summary{schedule,
                  request,
                  predict::limit_of(schedule, device::Device{}),
                  analyze::count_network(schedule),
                  predict::estimate_memory(schedule).saved_activations,
                  {}};
  summary.layers = analyze::layer_table(schedule, summary.totals, request.depth);
  return {format("Summary of {}", request.model),
          {layer_table_of(summary)},
          notes_of(summary),
          json_of(summary)};
}

}  // namespace rooflab::report
