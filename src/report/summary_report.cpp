#include <algorithm>
#include <iterator>
#include <span>

#include "base/format.hpp"
#include "case_words.hpp"
#include "class_bar.hpp"
#include "describe/schema.hpp"
#include "layer_rows.hpp"
#include "model_names.hpp"
#include "notes/analyze_notes.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using analyze::NetworkSummary;

page::Table layer_table_of(const NetworkSummary& summary) {
  static constexpr auto every_phase =
      page::columns_of(page::titled("node", "layer"), "op", "output_shape", "parameters", "macs",
                       "matrix_flop", "vector_flop", "compulsory_bytes", "intensity_flop_per_byte");
  // Outside training there is one pass.
  static constexpr auto both_passes =
      page::columns_of(page::titled("node", "layer"), "op", "output_shape", "parameters", "macs",
                       "matrix_flop", "vector_flop", "compulsory_bytes", "intensity_flop_per_byte",
                       page::beside_text("forward_flop"), page::beside_text("backward_flop"),
                       page::beside_text("forward_bytes"), page::beside_text("backward_bytes"));
  const bool trains = summary.phase == Phase::training;
  const std::span<const page::FigureColumn> columns =
      trains ? std::span<const page::FigureColumn>(both_passes) : every_phase;
  page::Table table = layer_rows(summary.layers, columns);
  table.title = format("{}, {}", summary.model, work_of(summary));
  table.totals = page::totals_of(std::span(&summary.totals, 1), columns);
  const bool complete = summary.totals.count.uncounted.empty();
  table.totals[0][0] = complete ? "total" : "total of what was counted";
  for (const std::size_t column : {1U, 2U}) table.totals[0][column] = "";
  return table;
}

/// The four sizes that torchinfo prints, in its unit: MB are 10^6 bytes.
page::Remarks torchinfo_lines(const analyze::NetworkCount& count) {
  if (!count.torchinfo_pass()) return {};
  const Bytes passes = *count.torchinfo_pass();
  const auto line = [](std::string_view what, Bytes bytes, std::string_view rule = "") {
    return page::answers(format("{} (MB): {:.2f}{}", what, bytes.as_double() / 1e6, rule));
  };
  return {line("Input size", count.input_bytes),
          line("Forward/backward pass size", passes,
               " (2 x outputs of layers with parameters, as torchinfo has it)"),
          line("Params size", count.parameter_bytes),
          line("Estimated Total Size", count.input_bytes + passes + count.parameter_bytes)};
}

/// The four figures that torchsummary prints, in its units (MB there means 2^20 bytes).
page::Remarks torchsummary_lines(const analyze::NetworkCount& count) {
  const std::int64_t passes = count.torchsummary_pass().value();
  const std::int64_t total = count.input_bytes.value() + passes + count.parameter_bytes.value();
  return {
      page::answers(format("Input size (MiB): {}", mebibytes(count.input_bytes.value()))),
      page::answers(format(
          "Forward/backward pass size (MiB): {} (2 x all layer outputs, as torchsummary has it)",
          mebibytes(passes))),
      page::answers(format("Params size (MiB): {}", mebibytes(count.parameter_bytes.value()))),
      page::answers(format("Estimated Total Size (MiB): {}", mebibytes(total)))};
}

page::Remarks notes_of(const NetworkSummary& summary, const OtherCounters& others) {
  const auto& [work, count, saved, allocated_peak, cache] = summary.totals;
  page::Remarks notes;
  if (others.torchsummary) notes = torchsummary_lines(count);
  if (others.torchinfo) std::ranges::move(torchinfo_lines(count), std::back_inserter(notes));
  notes.push_back(page::answers(
      format("Memory of {}: tensors take {} at most; `rooflab predict` says what a device needs",
             name_of(summary.phase), si(allocated_peak.as_double(), "B"))));
  if (cache) {
    notes.push_back(page::answers(
        format("KV cache: {} ({} MiB)", si(cache->as_double(), "B"), mebibytes(cache->value()))));
  }
  if (summary.phase != Phase::inference) {
    notes.push_back(page::answers(format("Kept for backward after the forward pass: {} ({} MiB)",
                                         si(saved.as_double(), "B"), mebibytes(saved.value()))));
  }
  notes.push_back(page::answers(
      format("Total FLOPs of the phase: {} (1 MAC = 2 FLOP)", si(work.flops().as_double(), ""))));
  if (work.causal_macs != work.macs) {
    notes.push_back(Note{analyze::says.causal_attention, {work.causal_macs.as_double()}});
  }
  notes.push_back(page::answers(
      format("Coverage: {} of {} nodes counted", count.counted_nodes, count.computing_nodes)));
  for (const analyze::UncountedOp& op : count.uncounted) {
    notes.push_back(Note{analyze::says.ops_not_counted, {op.count, op.op}});
  }
  std::ranges::move(page::remarks_of(summary.notes), std::back_inserter(notes));
  return notes;
}

/// What the layers are counted for, by class of ops.
page::PageSection class_section_of(const NetworkSummary& summary) {
  ClassTimes flops;
  ClassTimes bytes;
  for (const analyze::LayerRow& row : summary.layers) {
    if (!row.counted) continue;
    const graph::WorkClass work_class = graph::work_class_of(row.op_class);
    flops[work_class] += row.flops().as_double();
    bytes[work_class] += row.compulsory_bytes.as_double();
  }
  return {.heading = "By class of ops",
          .bars = {class_bar("FLOPs", flops, 0.0, "FLOP"),
                   class_bar("compulsory bytes", bytes, 0.0, "B")}};
}

std::string answer_of(const NetworkSummary& summary) {
  const auto& [work, count, saved, allocated_peak, cache] = summary.totals;
  return format("{} parameters; {} takes {} and {} of memory traffic at least, in {} at batch {}.",
                si(static_cast<double>(count.parameters), "", 4), summary.model,
                si(work.flops().as_double(), "FLOP"), si(work.compulsory_bytes.as_double(), "B"),
                name_of(summary.phase), summary.batch);
}

}  // namespace

page::Document summary_report(const NetworkSummary& summary, const OtherCounters& others) {
  page::Document document;
  document.title = format("Summary of {}", summary.model);
  document.answer = {answer_of(summary)};
  document.tables = {layer_table_of(summary)};
  document.sections = {class_section_of(summary)};
  document.notes = notes_of(summary, others);
  document.json = command_json("summary", to_json(summary));
  name_models_by_stem(document, {summary.model});
  return document;
}

}  // namespace rooflab::report
