#include "rooflab/base/schema.hpp"
#include "rooflab/report/partition_report.hpp"

#include "cells.hpp"
#include "memory_json.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"

namespace rooflab::report {
namespace {

using analyze::PartitionResult;
using predict::PartitionPlan;
using predict::PlannedStage;

/// The stage as it ran; nullptr: it did not.
const record::StageResult* measured(const PartitionResult& result, std::size_t stage) {
  const bool ran =
      result.run && result.run->status == record::Status::ok && stage < result.run->stages.size();
  return ran ? &result.run->stages[stage] : nullptr;
}

/// A stage's work in a step.
double step_time(const PlannedStage& stage, int micro_batches) {
  return (stage.forward.value + stage.backward.value) * micro_batches + stage.optimizer.value;
}

Cell seconds(double value) { return si_cell(value, "s"); }

Table stage_table(const PartitionResult& result, const PartitionPlan& plan) {
  const bool ran = measured(result, 0) != nullptr;
  Table table;
  table.title = format("{} in {} stages, batch {}, {}, {}", result.model, plan.stages.size(),
                       result.batch, name_of(result.phase), name_of(result.precision));
  table.columns = {{"stage", "stage"},
                   {"device", "device", Align::left},
                   {"first", "from", Align::left},
                   {"last", "to", Align::left},
                   {"nodes", "nodes"},
                   {"time_s", "time"},
                   {"measured_s", "measured", Align::right, !ran},
                   {"received_bytes", "receives"},
                   {"transfer_s", "transfer"},
                   {"measured_transfer_s", "measured transfer", Align::right, !ran},
                   {"total_memory_bytes", "memory"},
                   {"allocated_peak_bytes", "allocated"},
                   {"measured_allocated_bytes", "measured allocated", Align::right, !ran},
                   {"verdict", "verdict", Align::left}};
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const PlannedStage& stage = plan.stages[i];
    const record::StageResult* const real = measured(result, i);
    const auto of_run = [&](auto member) -> Cell {
      return real != nullptr ? seconds(real->*member) : dash();
    };
    const bool peak_known = real != nullptr && real->allocated_peak.has_value();
    table.rows.push_back(
        {Cell(std::to_string(i)), stage.device, stage.first, stage.last,
         Cell(std::to_string(stage.end - stage.begin)),
         seconds(step_time(stage, plan.micro_batches)), of_run(&record::StageResult::time_s),
         si_cell((stage.received * plan.micro_batches).value(), "B"),
         seconds(stage.transfer.value * plan.micro_batches),
         of_run(&record::StageResult::transfer_s), si_cell(stage.memory.total.value(), "B"),
         si_cell(stage.memory.allocated_peak.value(), "B"),
         peak_known ? si_cell(real->allocated_peak->value(), "B") : dash(),
         std::string(name_of(stage.fit.verdict))});
  }
  return table;
}

Table step_table(const PartitionResult& result, const PartitionPlan& plan) {
  const std::optional<double> step = result.measured_step_s();
  const std::optional<double> ratio = result.ratio();
  Table table;
  table.title = "Step";
  table.columns = {{"micro_batches", "micro-batches"},
                   {"micro_batch", "images each"},
                   {"sequential_s", "sequential"},
                   {"pipelined_s", "pipelined"},
                   {"bubble", "bubble"},
                   {"idle", "idle"},
                   {"measured_s", "measured", Align::right, !step},
                   {"ratio", "ratio", Align::right, !step},
                   {"samples_per_s", "samples/s"}};
  const double samples = static_cast<double>(result.batch) / step.value_or(plan.pipelined.value);
  table.rows.push_back({Cell(std::to_string(plan.micro_batches)),
                        Cell(std::to_string(plan.micro_batch)), seconds(plan.sequential.value),
                        seconds(plan.pipelined.value), percent_cell(plan.bubble),
                        percent_cell(plan.idle), optional_si_cell(step, "s"),
                        ratio ? Cell(format("{:.3f}", *ratio), format("{}", *ratio)) : dash(),
                        si_cell(samples, "")});
  return table;
}

/// Without a plan: what there is, and what it would take.
Table memory_table(const PartitionResult& result) {
  Table table;
  table.title = format("{} over {} devices, batch {}, {}, {}", result.model, result.devices.size(),
                       result.batch, name_of(result.phase), name_of(result.precision));
  table.columns = {{"device", "device", Align::left},
                   {"memory_bytes", "memory"},
                   {"least_memory_bytes", "least needed"}};
  for (std::size_t i = 0; i < result.devices.size(); ++i) {
    const std::optional<Bytes>& least = result.outcome.least_memory;
    table.rows.push_back({result.devices[i], si_cell(result.memory[i].value(), "B"),
                          least ? si_cell(least->value(), "B") : dash()});
  }
  return table;
}

Json stage_json(const PartitionResult& result, const PartitionPlan& plan, std::size_t i) {
  const PlannedStage& stage = plan.stages[i];
  const record::StageResult* const real = measured(result, i);
  Json json;
  json["device"] = stage.device;
  json["first"] = stage.first;
  json["last"] = stage.last;
  json["nodes"] = stage.end - stage.begin;
  json["forward_s"] = stage.forward.value;
  json["backward_s"] = stage.backward.value;
  json["optimizer_s"] = stage.optimizer.value;
  json["received_bytes"] = stage.received.value();
  json["returned_bytes"] = stage.returned.value();
  json["transfer_s"] = stage.transfer.value;
  json["time_s"] = step_time(stage, plan.micro_batches);
  json["memory"] = memory_json(stage.memory);
  json["verdict"] = name_of(stage.fit.verdict);
  json["margin"] = stage.fit.margin;
  if (real != nullptr) {
    json["measured_s"] = real->time_s;
    json["measured_transfer_s"] = real->transfer_s;
    json["measured_received_bytes"] = real->received.value();
    json["measured_allocated_peak_bytes"] = json_or_null(real->allocated_peak);
  }
  return json;
}

Json result_json(const PartitionResult& result) {
  Json json;
  json["schema_version"] = schema_version;
  json["command"] = "partition";
  json["model"] = result.model;
  json["batch"] = result.batch;
  json["phase"] = name_of(result.phase);
  json["precision"] = name_of(result.precision);
  json["devices"] = result.devices;
  json["memory_bytes"] = Json::array();
  for (const Bytes memory : result.memory) json["memory_bytes"].push_back(memory.value());
  json["link"] = result.link;
  json["least_memory_bytes"] = json_or_null(result.outcome.least_memory);
  json["plan"] = nullptr;
  if (const std::optional<PartitionPlan>& plan = result.outcome.plan) {
    Json& planned = json["plan"] = Json::object();
    planned["cuts"] = plan->cuts;
    planned["micro_batches"] = plan->micro_batches;
    planned["micro_batch"] = plan->micro_batch;
    planned["sequential_s"] = plan->sequential.value;
    planned["pipelined_s"] = plan->pipelined.value;
    planned["bubble"] = plan->bubble;
    planned["idle"] = plan->idle;
    planned["stages"] = Json::array();
    for (std::size_t i = 0; i < plan->stages.size(); ++i) {
      planned["stages"].push_back(stage_json(result, *plan, i));
    }
  }
  json["run"] = result.run ? file_json(*result.run) : Json();
  json["measured_step_s"] = json_or_null(result.measured_step_s());
  json["ratio"] = json_or_null(result.ratio());
  json["notes"] = result.notes;
  json["command_line"] = result.command;
  return json;
}

}  // namespace

Document partition_report(const PartitionResult& result) {
  Document document;
  document.title = "Partition";
  if (const std::optional<PartitionPlan>& plan = result.outcome.plan) {
    document.tables.push_back(stage_table(result, *plan));
    document.tables.push_back(step_table(result, *plan));
    document.notes.push_back(
        "time: a stage's own work in a step; transfer: activations that it receives and gradients"
        " that come back to it, over the link.");
    document.notes.push_back(
        "sequential: the whole batch through all stages, one after another; pipelined: "
        "micro-batches"
        " all forward, then all backward (GPipe); bubble: idle share if stages were equal; idle:"
        " with these stages.");
  } else {
    document.tables.push_back(memory_table(result));
    document.notes.push_back(
        result.outcome.least_memory
            ? "no partition fits these devices; with the least memory on each one would."
            : "no partition fits these devices.");
  }
  document.notes.push_back(format("link: {}.", result.link));
  if (result.run && result.run->status != record::Status::ok) {
    document.notes.push_back(
        format("not measured: {}: {}", name_of(result.run->status), result.run->message));
  }
  document.notes.insert(document.notes.end(), result.notes.begin(), result.notes.end());
  document.json = result_json(result);
  return document;
}

}  // namespace rooflab::report
