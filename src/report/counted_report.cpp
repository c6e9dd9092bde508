#include <algorithm>
#include <tuple>

#include "cells.hpp"
#include "counted_section.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/plural.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/measure_view.hpp"
#include "sum_table.hpp"

namespace rooflab::report {
namespace {

using analyze::CountedLayer;
using analyze::CountedLayers;
using analyze::MeasuredCase;
using record::KernelFigure;
using record::KernelSums;
using enum record::KernelFigure;

/// All layers as one: a row of the table, and what the notes tell.
CountedLayer total_of(std::string name, const KernelSums& sums, const CountedLayers& counted) {
  CountedLayer total;
  total.name = std::move(name);
  total.sums = sums;
  total.time_share = 1.0;
  total.model_matrix_flops = counted.model_matrix_flops;
  total.model_vector_flops = counted.model_vector_flops;
  total.model_bytes = counted.model_bytes;
  return total;
}

/// `padding; cache hits`, of FLOPs and of bytes.
std::string causes_of(const CountedLayer& layer) {
  std::vector<std::string> words;
  for (const auto& [unit, gap] :
       {std::pair{"FLOP", &layer.flops_gap}, std::pair{"bytes", &layer.bytes_gap}}) {
    if (*gap) words.push_back(format("{}: {}", unit, name_of((*gap)->cause)));
  }
  if (!layer.breaches.empty()) words.emplace_back("above a roof");
  if (!layer.remark.empty()) words.push_back(layer.remark);
  return join(words, "; ");
}

std::string reasons_of(const CountedLayer& layer) {
  std::vector<std::string> texts;
  if (layer.flops_gap) texts.push_back("FLOP: " + layer.flops_gap->text);
  if (layer.bytes_gap) texts.push_back("bytes: " + layer.bytes_gap->text);
  for (const analyze::RoofBreach& breach : layer.breaches) texts.push_back(breach.text);
  return join(texts, "; ");
}

SumTable<CountedLayer> counted_columns(std::span<const CountedLayer> layers) {
  SumTable<CountedLayer> table;
  table.column({"name", "layer", Align::left},
               [](const CountedLayer& layer) { return Cell(layer.name); });
  table.column({"op", "op", Align::left, true},
               [](const CountedLayer& layer) { return Cell(layer.op); });
  table.launches("kernels");
  table.figure(time_s);
  table.column({"share", "share"}, [](const CountedLayer& layer) {
    return layer.sums.at(time_s) ? percent_cell(layer.time_share) : dash();
  });
  table.figure(fp64_flops, true);
  table.figure(fp32_flops);
  table.figure(fp16_flops, true);
  table.figure(tensor_flops);
  table.figure(flops, true);
  table.column({"model_flops", "model FLOP"},
               [](const CountedLayer& layer) { return optional_si_cell(layer.model_flops(), ""); });
  table.column({"flops_ratio", "ratio"}, [](const CountedLayer& layer) {
    return factor_cell_by_3_digits(layer.flops_ratio());
  });
  table.figure(dram_bytes);
  table.column({"model_bytes", "compulsory"},
               [](const CountedLayer& layer) { return bytes_cell(layer.model_bytes); });
  table.column({"bytes_ratio", "ratio"}, [](const CountedLayer& layer) {
    return factor_cell_by_3_digits(layer.bytes_ratio());
  });
  table.collected(layers);
  for (const KernelFigure ratio : {intensity, flops_per_s, bytes_per_s}) table.figure(ratio);
  for (const KernelFigure state : {occupancy, sm_busy, sm_clock_hz}) table.figure(state, true);
  table.column({"gap", "gaps", Align::left},
               [](const CountedLayer& layer) { return Cell(causes_of(layer)); });
  table.column({"reason", "reasons", Align::left, true},
               [](const CountedLayer& layer) { return Cell(reasons_of(layer)); });
  return table;
}

/// `4.5 GFLOP FP32, 6.5 GFLOP on tensor cores (TF32 6.5 GFLOP)`.
std::string work_by_path(const KernelSums& sums) {
  std::vector<std::string> parts;
  for (const auto& [figure, path] :
       {std::pair{fp64_flops, "FP64"}, {fp32_flops, "FP32"}, {fp16_flops, "FP16 on CUDA cores"}}) {
    const double work = sums.at(figure).value_or(0.0);
    if (work > 0.0) parts.push_back(format("{} {}", si(work, "FLOP"), path));
  }
  if (const std::optional<double> tensor = sums.at(tensor_flops)) {
    std::vector<std::string> types;
    for (const auto& [figure, operations] : sums.tensor_by_type()) {
      const record::KernelFigureFacts& type = facts_of(figure);
      if (!type.path || operations <= 0.0) continue;
      types.push_back(format("{} {}", type.title, si(operations, "FLOP")));
    }
    parts.push_back(
        types.empty() ? "nothing on tensor cores"
                      : format("{} on tensor cores ({})", si(*tensor, "FLOP"), join(types, ", ")));
  }
  return join(parts, ", ");
}

void add_sums(const CountedLayers& counted, std::vector<std::string>& notes) {
  const KernelSums& sums = counted.totals;
  const CountedLayer total = total_of("", sums, counted);
  if (const std::optional<double> work = sums.at(flops)) {
    std::string text = format("counted {}: {}", si(*work, "FLOP"), work_by_path(sums));
    if (const auto ratio = total.flops_ratio()) {
      text +=
          format("; the model has {} (products {}, the rest {}): {:.3f} times as much",
                 si(*total.model_flops(), "FLOP"), si(total.model_matrix_flops->as_double(), ""),
                 si(total.model_vector_flops->as_double(), ""), *ratio);
    }
    notes.push_back(std::move(text));
  }
  if (const std::optional<double> moved = sums.at(dram_bytes)) {
    std::string text = format("DRAM moved {}", si(*moved, "B"));
    if (const auto ratio = total.bytes_ratio()) {
      text += format(", {:.2f} times the compulsory {}", *ratio,
                     si(total.model_bytes->as_double(), "B"));
    }
    if (const auto asked = sums.at(l2_bytes)) {
      text += format("; L2 was asked for {}", si(*asked, "B"));
    }
    notes.push_back(std::move(text));
  }
  std::string step = counted.step ? step_note(*counted.step) : std::string();
  if (!step.empty()) notes.push_back(std::move(step));
}

void add_coverage(const CountedLayers& counted, std::vector<std::string>& notes) {
  const KernelSums& sums = counted.totals;
  for (const auto& [figure, what] :
       {std::pair{flops, "all FLOPs"}, {dram_bytes, "DRAM bytes"}, {time_s, "a time"}}) {
    if (sums.has_all(figure)) continue;
    notes.push_back(format("{} of {} kernels have {}", sums.count(figure), sums.launches, what));
  }
  if (counted.without_node > 0) {
    notes.push_back(format("{} no node of the network",
                           counted.without_node == 1
                               ? std::string("1 kernel belongs to")
                               : format("{} kernels belong to", counted.without_node)));
  }
  if (!counted.without_kernels.empty()) {
    constexpr std::size_t most = 8;
    std::vector<std::string> names = counted.without_kernels;
    const std::size_t all = names.size();
    if (all > most) names.resize(most);
    notes.push_back(format("without a kernel, though the model has work for {}: {}{}",
                           all == 1 ? "it" : "them", join(names, ", "),
                           all > most ? format(" and {} more", all - most) : ""));
  }
}

}  // namespace

std::string step_note(const KernelSums& step) {
  std::vector<std::string> parts;
  if (const std::optional<double> tensor = step.at(tensor_flops)) {
    parts.push_back(format("tensor cores {}", si(*tensor, "FLOP")));
  }
  for (const KernelFigure figure : values_of<KernelFigure>) {
    const record::KernelFigureFacts& facts = facts_of(figure);
    const std::optional<double> value = step.at(figure);
    if (is_derived(figure) || facts.title.empty() || facts.shown == record::Shown::never) continue;
    if (!value) continue;
    parts.push_back(format("{} {}", facts.title, amount_of(figure, *value)));
  }
  if (parts.empty()) return {};
  return format("a whole step, its kernels concurrent: {}", join(parts, ", "));
}

std::string counting_conventions() {
  return "conventions: a multiply-accumulate is 2 FLOP, an fp16 instruction does two lanes, hfma"
         " that only move constants are left out, tensor cores count dense operations";
}

std::string counting_note(const record::Counting& counting) {
  if (counting.sets.empty()) return "kernels were timed, not counted: the warnings say why";
  std::size_t metrics = 0;
  std::size_t passes = 0;
  std::size_t whole = 0;
  std::int64_t dropped = 0;
  for (const record::CounterSet& set : counting.sets) {
    metrics += set.metrics.size();
    const auto steps = static_cast<std::size_t>(set.passes);
    passes += steps;
    if (!set.per_kernel) whole += steps;
    dropped += set.dropped;
  }
  std::string text = format(
      "counted on {} in {}, after {} of programming the counters: {} in {} pass{}, one a step, {} "
      "over"
      " a whole step, {} kernel by kernel; times are of steps without counters",
      counting.chip, si(counting.wall_s, "s"), si(counting.arming_s, "s"),
      plural(metrics, "metric"), passes, passes == 1 ? "" : "es", whole, passes - whole);
  if (dropped > 0) {
    text += format("; {} launch{} without a value, in steps unlike the others", dropped,
                   dropped == 1 ? "" : "es");
  }
  return text;
}

Table counted_layer_table(const MeasuredCase& measured) {
  const CountedLayers counted = measured.counted.value_or(CountedLayers());
  const SumTable<CountedLayer> columns = counted_columns(counted.layers);
  Table table =
      columns.table(format("Counted: {}", title_of(measured.record.identity)), counted.layers);
  if (counted.totals.launches > 0) {
    table.totals.push_back(columns.cells(total_of("sum of kernels", counted.totals, counted)));
  }
  if (counted.step) {
    CountedLayer step = total_of("whole step", *counted.step, counted);
    step.sums.launches = static_cast<std::size_t>(measured.record.counting->launches_per_step);
    table.totals.push_back(columns.cells(step));
  }
  return table;
}

Table counted_gap_table(const MeasuredCase& measured, std::size_t top) {
  Table table;
  table.title =
      format("Largest gaps between counters and model: {}", title_of(measured.record.identity));
  table.columns = {{"name", "layer", Align::left},
                   {"figure", "of", Align::left},
                   {"measured", "measured"},
                   {"model", "model"},
                   {"ratio", "ratio"},
                   {"cause", "cause", Align::left},
                   {"evidence", "why", Align::left}};
  if (!measured.counted) return table;
  const auto add = [&](const std::vector<const CountedLayer*>& layers,
                       std::optional<analyze::Gap> CountedLayer::*gap, std::string figure,
                       const auto& cells) {
    for (const CountedLayer* layer : std::span(layers).first(std::min(top, layers.size()))) {
      const auto [counted, model, ratio] = cells(*layer);
      table.rows.push_back({layer->name, figure, counted, model, factor_cell_by_3_digits(ratio),
                            std::string(name_of((layer->*gap)->cause)), (layer->*gap)->text});
    }
  };
  add(measured.counted->largest_flops_gaps(), &CountedLayer::flops_gap, "FLOP",
      [](const CountedLayer& layer) {
        return std::tuple(cell_of(layer.sums, flops), optional_si_cell(layer.model_flops(), ""),
                          layer.flops_ratio());
      });
  add(measured.counted->largest_bytes_gaps(), &CountedLayer::bytes_gap, "DRAM bytes",
      [](const CountedLayer& layer) {
        return std::tuple(cell_of(layer.sums, dram_bytes), bytes_cell(layer.model_bytes),
                          layer.bytes_ratio());
      });
  return table;
}

Table counted_breach_table(const MeasuredCase& measured) {
  Table table;
  table.title = format("Points above a roof: {}", title_of(measured.record.identity));
  table.columns = {{"name", "layer", Align::left},
                   {"point", "point", Align::left},
                   {"roof", "roof", Align::left},
                   {"rate", "rate"},
                   {"peak", "peak"},
                   {"why", "why", Align::left}};
  if (!measured.counted) return table;
  for (const CountedLayer& layer : measured.counted->layers) {
    for (const analyze::RoofBreach& breach : layer.breaches) {
      const std::string_view unit = breach.roof == "memory" ? "B/s" : "FLOP/s";
      table.rows.push_back({layer.name, breach.modelled ? "modelled" : "measured", breach.roof,
                            si_cell(breach.rate, unit), si_cell(breach.peak, unit), breach.text});
    }
  }
  return table;
}

std::vector<std::string> counted_notes(const MeasuredCase& measured) {
  std::vector<std::string> notes;
  if (!measured.counted) return notes;
  const CountedLayers& counted = *measured.counted;
  notes.push_back(counting_note(*measured.record.counting));
  add_sums(counted, notes);
  notes.insert(notes.end(), counted.step_differences.begin(), counted.step_differences.end());
  add_coverage(counted, notes);
  if (const double moves = counted.totals.at(fp16_move_flops).value_or(0.0); moves > 0.0) {
    notes.push_back(
        format("hfma that only move constants would make {}: left out", si(moves, "FLOP")));
  }
  notes.push_back(counting_conventions());
  return notes;
}

}  // namespace rooflab::report
