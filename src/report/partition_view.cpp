#include "rooflab/report/partition_view.hpp"

#include "rooflab/base/format.hpp"
#include "rooflab/base/schema.hpp"
#include "row_table.hpp"

namespace rooflab::report {
namespace {

using analyze::PartitionResult;

Table step_table(const Json& result) {
  static constexpr FigureColumn columns[] = {
      {"micro_batches"},          {"micro_batch"},
      {"sequential_s"},           {"predicted_s", Shown::always, "pipelined"},
      {"bubble_share"},           {"idle_share"},
      {"median_s", Shown::known}, {"time_ratio", Shown::known},
      {"samples_per_s"}};
  Table table = table_of({&result, 1}, columns);
  table.title = "Step";
  return table;
}

}  // namespace

Table stage_table(const Json& stages) {
  static constexpr FigureColumn columns[] = {{"stage", Shown::known},
                                             {"device"},
                                             {"first", Shown::always, "from"},
                                             {"last", Shown::always, "to"},
                                             {"nodes"},
                                             {"predicted_s", Shown::always, "time"},
                                             {"median_s", Shown::known},
                                             {"received_bytes", Shown::always, "receives"},
                                             {"transfer_s"},
                                             {"measured_transfer_s", Shown::known},
                                             {"total_bytes"},
                                             {"allocated_peak_bytes", Shown::always, "allocated"},
                                             {"measured_allocated_peak_bytes", Shown::known},
                                             {"verdict"}};
  return table_of({stages.begin(), stages.end()}, columns);
}

Document partition_view(const PartitionResult& result) {
  Document document;
  document.title = "Partition";
  document.command = result.command;
  document.json = command_json("partition", to_json(result));
  const auto add = [&](std::string_view how, Table table) {
    table.title = format("{} {}, batch {}, {}, {}", result.model, how, result.batch,
                         name_of(result.phase), name_of(result.precision));
    document.tables.push_back(std::move(table));
  };
  if (result.outcome.plan) {
    add(format("in {} stages", result.outcome.plan->stages.size()),
        stage_table(document.json.at("plan").at("stages")));
    document.tables.push_back(step_table(document.json));
    document.notes.push_back(
        "time: a stage's own work in a step; transfer: activations that it receives and gradients"
        " that come back to it, over the link.");
    document.notes.push_back(
        "sequential: the whole batch through all stages, one after another; pipelined: "
        "micro-batches"
        " all forward, then all backward (GPipe); bubble: idle share if stages were equal; idle:"
        " with these stages.");
  } else {
    add(format("over {} devices", result.devices.size()),
        table_of<analyze::PartitionDevice>(result.stage_devices(),
                                           {{"device"}, {"memory_bytes"}, {"least_memory_bytes"}}));
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
  std::ranges::move(texts_of(result.notes), std::back_inserter(document.notes));
  return document;
}

}  // namespace rooflab::report
