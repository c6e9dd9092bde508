#include <algorithm>

#include "base/format.hpp"
#include "case_words.hpp"
#include "describe/schema.hpp"
#include "model_names.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using analyze::PartitionResult;

/// The best plan and the one that was asked for, a row each.
page::Table step_table(const PartitionResult& result) {
  std::vector<page::JoinedRow> rows;
  const auto add = [&](std::string_view cut, const std::optional<predict::PartitionPlan>& plan) {
    if (!plan) return;
    const bool shown = result.plan() == &*plan;
    const double pipelined_s = plan->pipelined.value;
    const std::optional<double> none;
    rows.emplace_back()
        .own("cut", cut)
        .own("median_s", shown ? result.measured_step_s() : none)
        .own("time_ratio", shown ? result.ratio() : none)
        .own("samples_per_s", shown ? result.samples_per_s()
                                    : quotient(static_cast<double>(result.batch), pipelined_s))
        .of(*plan);
  };
  add("best", result.outcome.plan);
  add("own", result.own);
  static constexpr auto columns =
      page::columns_of(page::if_known("cut"), "micro_batches", "micro_batch", "sequential_s",
                       page::titled("predicted_s", "pipelined"), "bubble_share", "idle_share",
                       page::if_known("median_s"), page::if_known("time_ratio"), "samples_per_s");
  if (rows.size() == 1) rows.front().own("cut", Json());
  page::Table table = page::table_of(rows, columns);
  table.title = "Step";
  return table;
}

/// A stage as a bar of its work and its transfers.
chart::Bar stage_bar(const analyze::PartitionStage& stage, const std::string& device) {
  const double time_s = stage.time().value;
  const double transfer_s = stage.planned.transfer.value;
  return {.label = format("stage {}: {}", stage.number, device),
          .text = si(time_s + transfer_s, "s"),
          .parts = {{"its own work", time_s, si(time_s, "s"), 0},
                    {"transfers", transfer_s, si(transfer_s, "s"), 1}}};
}

/// How long a step takes, and which stage the others wait for.
std::string answer_of(const PartitionResult& result) {
  if (result.plan() == nullptr) return "No partition fits these devices.";
  const std::vector<analyze::PartitionStage> stages = result.stages();
  const auto slowest = std::ranges::max_element(
      stages, {}, [](const analyze::PartitionStage& stage) { return stage.time().value; });
  std::string text = format("In {} stages", stages.size());
  if (const auto rate = result.samples_per_s()) {
    text += format(" {} samples/s are {}", plain_number(*rate),
                   result.measured_step_s() ? "measured" : "expected");
  }
  text = format("{}; stage {} works longest, {} of each step.", text, slowest->number,
                si(slowest->time().value, "s", 3));
  if (!result.own || !result.outcome.plan) return text;
  const double own_s = result.own->pipelined.value;
  const double best_s = result.outcome.plan->pipelined.value;
  return format("{} A step of this cut is expected to take {}, one of the best cut {}.", text,
                si(own_s, "s", 4), si(best_s, "s", 4));
}

std::vector<page::JoinedRow> rows_of(const std::vector<analyze::PartitionStage>& stages) {
  std::vector<page::JoinedRow> rows;
  for (const analyze::PartitionStage& stage : stages) rows.emplace_back().keeping(stage);
  return rows;
}

}  // namespace

page::Table stage_table(const std::vector<page::JoinedRow>& stages) {
  static constexpr auto columns = page::columns_of(
      page::if_known("stage"), "device", page::titled("first_node", "from"),
      page::titled("last_node", "to"), "nodes", page::titled("predicted_s", "time"),
      page::if_known("median_s"), page::titled("received_bytes", "receives"), "transfer_s",
      page::if_known("measured_transfer_s"), "total_bytes",
      page::titled("allocated_peak_bytes", "allocated"),
      page::if_known("measured_allocated_peak_bytes"), "verdict");
  return page::table_of(stages, columns);
}

page::Document partition_view(const PartitionResult& result) {
  page::Document document;
  document.title = format("Partition of {} over {}: {}", result.model, join(result.devices, ", "),
                          work_of(result));
  document.answer = {answer_of(result)};
  document.command = result.command;
  document.json = command_json("partition", to_json(result));
  const auto add = [&](std::string_view how, page::Table table) {
    table.title = format("{} {}, {}", result.model, how, work_of(result));
    document.tables.push_back(std::move(table));
  };
  if (result.own) {
    add(format("in {} stages, cut as asked for", result.own->stages.size()),
        stage_table(rows_of(result.stages_of(&*result.own))));
  }
  if (result.outcome.plan) {
    add(format("in {} stages{}", result.outcome.plan->stages.size(),
               result.own ? ", the best cut" : ""),
        stage_table(rows_of(result.stages_of(&*result.outcome.plan))));
  }
  if (result.plan() != nullptr) {
    document.tables.push_back(step_table(result));
    page::PageSection& section = document.sections.emplace_back();
    section.heading = "What the stages do";
    section.bar_scale = chart::BarScale::absolute;
    for (const analyze::PartitionStage& stage : result.stages()) {
      section.bars.push_back(
          stage_bar(stage, result.devices.at(static_cast<std::size_t>(stage.number))));
    }
    document.notes.push_back(page::explains(
        "time: a stage's own work in a step; transfer: activations that it receives and gradients"
        " that come back to it, over the link."));
    document.notes.push_back(page::explains(
        "sequential: the whole batch through all stages, one after another; pipelined: "
        "micro-batches"
        " all forward, then all backward (GPipe); bubble: idle share if stages were equal; idle:"
        " with these stages."));
  }
  if (!result.outcome.plan) {
    add(format("over {} devices", result.devices.size()),
        page::table_of<analyze::PartitionDevice>(
            result.stage_devices(),
            page::columns_of("device", "usable_memory_bytes", "least_memory_bytes")));
    document.notes.push_back(page::answers(
        result.outcome.least_memory
            ? "no partition fits these devices; with the least memory on each one would."
            : "no partition fits these devices."));
  }
  document.notes.push_back(format("link: {}.", result.link));
  if (result.run && result.run->status != record::Status::ok) {
    document.notes.push_back(
        {format("not measured: {}: {}", name_of(result.run->status), result.run->message),
         NoteRank::changes});
  }
  std::ranges::move(page::remarks_of(result.notes), std::back_inserter(document.notes));
  name_models_by_stem(document, {result.model});
  return document;
}

}  // namespace rooflab::report
